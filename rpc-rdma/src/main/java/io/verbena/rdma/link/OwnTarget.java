package io.verbena.rdma.link;

import io.verbena.core.link.BulkTarget;
import io.verbena.rdma.device.Exposure;
import io.verbena.rdma.wire.Advertisement;
import org.jspecify.annotations.Nullable;

/**
 * A range that is open to the peer.
 *
 * <pre>
 *   OPEN ──close, all has arrived──→ SHUTTING ──its window is invalidated──→ FENCED
 *     └──close──→ REVOKING ──the peer says that nothing comes any more──↑       ↑
 *                     └───────── the queue pair is drained and destroyed ───────┘
 *   any but FENCED ──the queue pair cannot be destroyed──→ LOST: the memory is kept for good
 * </pre>
 *
 * <p>The peer is asked before the range is shut, since a WRITE into a range that is shut would be
 * the end of the link.
 */
final class OwnTarget implements BulkTarget {
  private enum State {
    OPEN,
    REVOKING,
    SHUTTING,
    FENCED,
    LOST
  }

  private final OwnTargets owner;

  /** Null where the link had ended before. */
  private final @Nullable Exposure exposure;

  private final Advertisement advertisement;
  private final Listener listener;
  private State state;
  private boolean closed;
  private long arrived;
  private long deadline;
  private @Nullable Runnable whenFenced;
  private @Nullable Runnable whenLost;

  OwnTarget(
      OwnTargets owner,
      @Nullable Exposure exposure,
      Advertisement advertisement,
      Listener listener) {
    this.owner = owner;
    this.exposure = exposure;
    this.advertisement = advertisement;
    this.listener = listener;
    this.state = exposure == null ? State.FENCED : State.OPEN;
  }

  @Override
  public byte[] advertisement() {
    return advertisement.encode();
  }

  @Override
  public void rewind() {
    arrived = 0; // so it is no longer complete, and closing it asks the peer first
  }

  @Override
  public void close(Runnable fenced) {
    close(fenced, () -> {});
  }

  @Override
  public void close(Runnable fenced, Runnable lost) {
    if (closed) {
      throw new IllegalStateException("the target is closed already");
    }
    closed = true;
    if (state == State.FENCED) {
      fenced.run();
      return;
    }
    whenFenced = fenced;
    whenLost = lost;
    owner.closing(this);
    if (state == State.LOST) {
      lost.run();
    }
  }

  /** Returns what both ends call it. */
  int target() {
    return advertisement.target();
  }

  @Nullable Exposure exposure() {
    return exposure;
  }

  long length() {
    return advertisement.length();
  }

  int unitShift() {
    return advertisement.unitShift();
  }

  long arrived() {
    return arrived;
  }

  /** More has arrived, says the peer; false if that cannot be. */
  boolean arrivedUpTo(long upTo) {
    if (upTo <= arrived || upTo > advertisement.length()) {
      return false;
    }
    arrived = upTo;
    return true;
  }

  boolean isComplete() {
    return arrived == advertisement.length();
  }

  /** Tells the owner, unless it has closed the range. */
  void tell(long upTo) {
    if (!closed) {
      listener.onArrived(upTo);
    }
  }

  void revoking(long until) {
    state = State.REVOKING;
    deadline = until;
  }

  boolean isRevoking() {
    return state == State.REVOKING;
  }

  long deadline() {
    return deadline;
  }

  void shutting() {
    state = State.SHUTTING;
  }

  boolean isClosed() {
    return closed;
  }

  /** Nothing can arrive any more. */
  void fenced() {
    state = State.FENCED;
    tell(whenFenced);
  }

  /** The device may write into it for ever. */
  void lost() {
    state = State.LOST;
    tell(whenLost);
  }

  private void tell(@Nullable Runnable told) {
    whenFenced = null;
    whenLost = null;
    if (told != null) {
      told.run();
    }
  }
}
