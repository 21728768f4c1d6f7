package io.verbena.core.session;

import io.verbena.api.SessionListener;
import io.verbena.codec.Compression;
import io.verbena.core.SessionLimits;
import io.verbena.core.bulk.BulkContext;
import io.verbena.core.frame.PeerLimits;
import io.verbena.core.loop.EventLoop;
import io.verbena.core.loop.Workers;
import io.verbena.link.LinkOptions;
import io.verbena.link.memory.Quotas;
import io.verbena.link.memory.SlotPool;
import java.util.List;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * What the sessions of one client or server share.
 *
 * @param loop steps them
 * @param limits what each allows
 * @param compression of messages; null: none is
 * @param slots where small messages are encoded
 * @param fragmentSlots where the pieces of long messages are put
 * @param quotas what each may have of the memory
 * @param handlers the users' executor: runs handlers that may block, and no work of the engine's
 * @param workers does work of the engine's that would hold up the loop
 * @param link how links are opened
 * @param upgrade whether and how sessions upgrade
 * @param bulk memory for large objects, and those that are published
 * @param elsewhere runs listeners: one that blocks holds up nobody else's
 * @param listeners are told what becomes of each; it may have more of its own
 */
public record SessionContext(
    EventLoop loop,
    SessionLimits limits,
    @Nullable Compression compression,
    SlotPool slots,
    SlotPool fragmentSlots,
    Quotas quotas,
    Executor handlers,
    Workers workers,
    LinkOptions link,
    UpgradeOptions upgrade,
    BulkContext bulk,
    Executor elsewhere,
    List<SessionListener> listeners) {
  /**
   * Returns from which length on messages to a peer are compressed; no message is so long where the
   * peer takes none that is, or none are made.
   */
  public int compressFrom(PeerLimits peer) {
    return compression != null && peer.takesLz4() ? compression.fromBytes() : Integer.MAX_VALUE;
  }

  /** Returns what this end tells a peer that it takes, over a link with these options. */
  PeerLimits takes(LinkOptions options) {
    return new PeerLimits(
        limits.maxMessageBytes(),
        options.maxFrameBytes(),
        limits.maxCalls(),
        (int) limits.leastPingInterval().toMillis(),
        compression != null);
  }
}
