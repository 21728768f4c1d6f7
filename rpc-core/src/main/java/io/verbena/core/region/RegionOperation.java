package io.verbena.core.region;

import io.verbena.api.region.RegionPiece;
import io.verbena.api.region.RegionRef;
import io.verbena.core.bulk.FencedFuture;
import io.verbena.core.loop.EventLoop;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An operation on a region. Its user may end it. It completes when nothing is written into the
 * user's memory any more. Safe for use by any thread.
 */
class RegionOperation<R> extends FencedFuture<R> {
  final RegionRef ref;

  /** The loop's time of the deadline. */
  final long deadline;

  private final EventLoop loop;

  /** Ends the current attempt. Only the loop uses it. */
  private @Nullable Runnable ends;

  private boolean ended;

  RegionOperation(EventLoop loop, RegionRef ref, long deadline) {
    this.loop = loop;
    this.ref = ref;
    this.deadline = deadline;
  }

  /** A get or a put, which a device can also do. */
  static final class Move extends RegionOperation<Void> {
    final boolean reads;
    final List<RegionPiece> pieces;

    Move(EventLoop loop, RegionRef ref, long deadline, boolean reads, List<RegionPiece> pieces) {
      super(loop, ref, deadline);
      this.reads = reads;
      this.pieces = pieces;
    }
  }

  @Override
  protected boolean isFenced() {
    return true;
  }

  /** Returns whether the user has ended the operation, so that it need not begin. */
  boolean isGivenUp() {
    return isEnding();
  }

  /** Sets the current attempt's end. On the loop, or before the operation is shared. */
  void endBy(Runnable ends) {
    this.ends = ends;
    if (ended) {
      ends.run();
    }
  }

  @Override
  protected void end() {
    loop.execute(
        () -> {
          ended = true;
          if (ends != null) {
            ends.run();
          }
        });
  }
}
