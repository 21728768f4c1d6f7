package io.verbena.link.memory;

import io.verbena.link.runtime.NanoClock;
import java.time.Duration;

/**
 * Whether the process had memory outside the heap when it was last asked for some. The JVM looks
 * for half a second before it says that there is none: so who was refused does not ask again for a
 * while. Safe for use by any thread.
 */
public final class DirectMemory {
  private static final long NEVER = 0;

  private final long againNanos;
  private volatile long refusedNanos = NEVER;

  /**
   * There is some, as far as is known.
   *
   * @param again how long it is not asked for after a refusal
   */
  public DirectMemory(Duration again) {
    this.againNanos = again.toNanos();
  }

  /** Returns whether it was refused so short a time ago that it is not to be asked for. */
  public boolean isOut() {
    long refused = refusedNanos;
    return refused != NEVER && NanoClock.SYSTEM.nanoTime() - refused < againNanos;
  }

  /** The JVM has said that there is none. */
  public void refused() {
    refusedNanos = NanoClock.SYSTEM.nanoTime() | 1;
  }
}
