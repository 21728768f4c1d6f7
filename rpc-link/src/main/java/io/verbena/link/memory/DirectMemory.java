package io.verbena.link.memory;

import io.verbena.link.runtime.NanoClock;
import io.verbena.link.runtime.OwnThreads;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Remembers whether the process has direct memory left. The JVM collects garbage and waits for half
 * a second before it refuses memory, which is too long for an event loop. So after a refusal no
 * caller tries again until a separate thread has found some. Safe for use by any thread.
 */
public final class DirectMemory {
  private static final long FIRST_NANOS = Duration.ofSeconds(5).toNanos();

  /**
   * The longest time between two attempts, because each collects garbage, in vain if others keep
   * all memory.
   */
  private static final long MOST_NANOS = Duration.ofMinutes(1).toNanos();

  /** The largest amount that is allocated at once, here and for bulk. */
  private static final int LOOKED_FOR_BYTES = 1 << 20;

  private static final AtomicReference<@Nullable Refusal> REFUSAL = new AtomicReference<>();

  private DirectMemory() {}

  /**
   * A refusal.
   *
   * @param nanos its time
   * @param againNanos the time until the next attempt
   */
  private record Refusal(long nanos, long againNanos) {}

  /**
   * Returns whether direct memory was refused and none has been found since. Do not allocate any
   * then.
   */
  public static boolean isOut() {
    Refusal last = REFUSAL.get();
    if (last == null) {
      return false;
    }
    long now = NanoClock.SYSTEM.nanoTime();
    if (now - last.nanos >= last.againNanos) {
      Refusal next = new Refusal(now, Math.min(2 * last.againNanos, MOST_NANOS));
      if (REFUSAL.compareAndSet(last, next)) {
        // If there is no thread, a later call tries again.
        OwnThreads.background("verbena-direct-memory", DirectMemory::look, none -> {});
      }
    }
    return true;
  }

  /** Records a refusal by the JVM. */
  public static void refused() {
    REFUSAL.compareAndSet(null, new Refusal(NanoClock.SYSTEM.nanoTime(), FIRST_NANOS));
  }

  private static void look() {
    ByteBuffer _ = ByteBuffer.allocateDirect(LOOKED_FOR_BYTES);
    REFUSAL.set(null);
  }
}
