package io.verbena.core.region;

import io.verbena.api.region.RegionPiece;
import io.verbena.api.region.RegionRef;
import io.verbena.core.bulk.FencedFuture;
import io.verbena.core.loop.EventLoop;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is under way at a region: its holder may end it, and hears of the end when nothing is
 * written into memory of his. Safe for any thread.
 */
class Operation<R> extends FencedFuture<R> {
  final RegionRef ref;

  /** By the loop's clock. */
  final long deadline;

  private final EventLoop loop;

  /** Ends what does it now. The loop's alone. */
  private @Nullable Runnable ends;

  private boolean ended;

  Operation(EventLoop loop, RegionRef ref, long deadline) {
    this.loop = loop;
    this.ref = ref;
    this.deadline = deadline;
  }

  /** A get or a put, which the device can do, too. */
  static final class Move extends Operation<Void> {
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

  /** Returns whether its holder has ended it, so that it need not begin. */
  boolean isGivenUp() {
    return isEnding();
  }

  /** From now on this does it, and ends by that. On the loop, or before anybody else has it. */
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
