package io.verbena.core.region;

import io.verbena.core.bulk.FencedFuture;
import io.verbena.core.loop.EventLoop;
import org.jspecify.annotations.Nullable;

/**
 * What is under way at a region: its holder may end it, and hears of the end when nothing is
 * written into memory of his. Safe for any thread.
 */
final class Operation<R> extends FencedFuture<R> {
  private final EventLoop loop;

  /** Ends what does it now. The loop's alone. */
  private @Nullable Runnable ends;

  private boolean ended;

  Operation(EventLoop loop) {
    this.loop = loop;
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
