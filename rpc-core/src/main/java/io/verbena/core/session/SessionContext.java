package io.verbena.core.session;

import io.verbena.core.SessionLimits;
import io.verbena.core.bulk.BulkContext;
import io.verbena.core.call.Interceptors;
import io.verbena.core.call.OnewayCounters;
import io.verbena.core.frame.PeerLimits;
import io.verbena.core.loop.EventLoop;
import io.verbena.core.loop.Workers;
import io.verbena.link.LinkOptions;
import io.verbena.link.memory.Quotas;
import io.verbena.link.memory.SlotPool;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * What the sessions of one client or server share.
 *
 * @param loop steps them
 * @param limits what each allows
 * @param slots where small messages are encoded
 * @param fragmentSlots where the pieces of long messages are put
 * @param quotas what each may have of the memory
 * @param handlers the users' executor: runs handlers that may block, and no work of the engine's
 * @param workers does work of the engine's that would hold up the loop
 * @param link how links are opened
 * @param upgrade whether and how sessions upgrade
 * @param bulk memory for large objects, and those that are published
 * @param oneways counts the one-way calls that were not simply executed
 * @param streamsSent how many streams they send
 * @param interceptors what their calls and handlers pass
 * @param audience who is told what becomes of each
 */
public record SessionContext(
    EventLoop loop,
    SessionLimits limits,
    SlotPool slots,
    SlotPool fragmentSlots,
    Quotas quotas,
    Executor handlers,
    Workers workers,
    LinkOptions link,
    UpgradeOptions upgrade,
    BulkContext bulk,
    OnewayCounters oneways,
    AtomicInteger streamsSent,
    Interceptors interceptors,
    SessionListeners audience) {
  /** Returns what this end tells a peer that it takes, over a link with these options. */
  PeerLimits takes(LinkOptions options) {
    return new PeerLimits(
        limits.maxMessageBytes(),
        options.maxFrameBytes(),
        limits.maxCalls(),
        (int) limits.leastPingInterval().toMillis());
  }
}
