package io.verbena.fuzz;

import com.code_intelligence.jazzer.api.Jazzer;
import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/**
 * Counts what this thread allocates and computes for an input, and compares it with what it may.
 */
public final class Meter {
  /** Costs that occur once (loading, compilation, filling) do not count for the input. */
  private static final int TRIES = 3;

  /**
   * Generous, for code that is instrumented and not compiled yet; what takes twice as long for each
   * byte, or its square, takes far more.
   */
  private static final long CPU_NANOS = 500_000_000;

  private static final long CPU_NANOS_PER_BYTE = 200_000;

  private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private long from;
  private long counted;
  private boolean counting;

  /** Counts from here on; what was counted before does not count. */
  public void start() {
    counted = 0;
    counting = true;
    from = threads.getCurrentThreadAllocatedBytes();
  }

  /** Counts no more. */
  public void stop() {
    if (counting) {
      counted = threads.getCurrentThreadAllocatedBytes() - from;
      counting = false;
    }
  }

  /**
   * Has a target take an input. The fuzzer is told how near it came to the bound, and goes for
   * more.
   */
  static void run(Target target, byte[] input) throws Exception {
    Meter meter = new Meter();
    long most = target.mostBytes(input.length);
    long least = Long.MAX_VALUE;
    long mostNanos = CPU_NANOS + CPU_NANOS_PER_BYTE * input.length;
    long leastNanos = Long.MAX_VALUE;
    for (int i = 0; i < TRIES && (least > most || leastNanos > mostNanos); i++) {
      long before = meter.threads.getCurrentThreadCpuTime();
      meter.start();
      target.take(input, meter);
      meter.stop();
      least = Math.min(least, meter.counted);
      leastNanos = Math.min(leastNanos, meter.threads.getCurrentThreadCpuTime() - before);
    }
    Jazzer.maximize(100 * least / most, 0, 100);
    if (least > most) {
      throw new AssertionError(
          "an input of %d bytes made this process allocate %d, and %d is the most that it may"
              .formatted(input.length, least, most));
    }
    if (leastNanos > mostNanos) {
      throw new AssertionError(
          "an input of %d bytes took %d ms of a processor, and %d is the most that it may"
              .formatted(input.length, leastNanos / 1_000_000, mostNanos / 1_000_000));
    }
  }
}
