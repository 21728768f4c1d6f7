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
 * The resources that the sessions of one client or server share.
 *
 * @param loop steps the sessions
 * @param limits the limits of each session
 * @param compression compresses messages; null for none
 * @param slots for encoding small messages
 * @param fragmentSlots for the pieces of long messages
 * @param quotas the shares of memory
 * @param handlers the users' executor. It runs handlers that may block, and no work of the engine
 * @param workers run work of the engine that would hold up the loop
 * @param link options for opening links
 * @param upgrade options for upgrades
 * @param bulk memory for large objects, and the published objects
 * @param elsewhere runs listeners, so that one that blocks does not delay those of other sessions
 * @param listeners receive the events of every session. A session may have more
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
   * Returns the length in bytes from which messages to a peer are compressed. It is longer than any
   * message if the peer accepts no compressed messages, or if this end makes none.
   */
  public int compressFrom(PeerLimits peer) {
    return compression != null && peer.takesLz4() ? compression.fromBytes() : Integer.MAX_VALUE;
  }

  /** Returns this end's limits for a peer. */
  PeerLimits takes() {
    return new PeerLimits(
        limits.maxMessageBytes(),
        link.maxFrameBytes(),
        limits.maxCalls(),
        (int) limits.leastPingInterval().toMillis(),
        compression != null,
        true,
        true);
  }
}
