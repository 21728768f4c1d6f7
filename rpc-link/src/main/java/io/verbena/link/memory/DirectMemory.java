package io.verbena.link.memory;

import io.verbena.link.runtime.NanoClock;
import io.verbena.link.runtime.OwnThreads;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Whether the process has direct memory, as far as is known. The JVM collects garbage and waits for
 * half a second before it says that there is none. An event loop has no time for that: so after a
 * refusal nobody asks until a thread of its own has found some. Safe for use by any thread.
 */
public final class DirectMemory {
  private static final long FIRST_NANOS = Duration.ofSeconds(5).toNanos();

  /** Each look collects garbage, and where others keep all memory for good, in vain. */
  private static final long MOST_NANOS = Duration.ofMinutes(1).toNanos();

  /** The most that is asked for at once, here and for bulk. */
  private static final int LOOKED_FOR_BYTES = 1 << 20;

  private static final AtomicReference<@Nullable Refusal> REFUSAL = new AtomicReference<>();

  private DirectMemory() {}

  /**
   * There was none.
   *
   * @param nanos when
   * @param againNanos after which time it is looked for again
   */
  private record Refusal(long nanos, long againNanos) {}

  /** Returns whether it was refused, and none has been found since: it is not to be asked for. */
  public static boolean isOut() {
    Refusal last = REFUSAL.get();
    if (last == null) {
      return false;
    }
    long now = NanoClock.SYSTEM.nanoTime();
    if (now - last.nanos >= last.againNanos) {
      Refusal next = new Refusal(now, Math.min(2 * last.againNanos, MOST_NANOS));
      if (REFUSAL.compareAndSet(last, next)) {
        OwnThreads.background(
            "verbena-direct-memory", DirectMemory::look, none -> {}); // then another time
      }
    }
    return true;
  }

  /** The JVM has said that there is none. */
  public static void refused() {
    REFUSAL.compareAndSet(null, new Refusal(NanoClock.SYSTEM.nanoTime(), FIRST_NANOS));
  }

  private static void look() {
    ByteBuffer _ = ByteBuffer.allocateDirect(LOOKED_FOR_BYTES);
    REFUSAL.set(null);
  }
}
