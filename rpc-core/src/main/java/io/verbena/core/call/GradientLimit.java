package io.verbena.core.call;

/**
 * Finds the best number of concurrent calls of a server by their latency. It uses the gradient of
 * Envoy's adaptive concurrency filter and of Netflix's concurrency-limits:
 *
 * <pre>
 *   gradient = tolerance × unloaded latency / latency, between ½ and 1
 *   limit    = gradient × limit + √limit
 * </pre>
 *
 * <p>If c concurrent calls use the whole server, latency grows with the limit beyond c, and the
 * limit settles at about 1¼ c + √c. The server is then never idle, and the queue is short.
 *
 * <p>The unloaded latency is measured in windows with few calls. Under load it cannot be seen. So
 * from time to time, and at first every second, a probe halves the limit for one window. Half of
 * the settled limit is less than c, so this window has no queue. From a limit far above, each probe
 * comes closer. Without probes the limit would rise throughout an overload, because the queue would
 * count as normal.
 *
 * <p>One thread at a time may use it.
 */
final class GradientLimit {
  private static final double TOLERANCE = 1.25;
  private static final double LEAST_GRADIENT = 0.5;

  /**
   * The weight of one window in the known latency. It is small, because windows differ by chance.
   */
  private static final double STEP = 1 / 8.0;

  private static final long FIRST_PROBE_NANOS = 1_000_000_000;
  private static final long LONGEST_PROBE_NANOS = 10_000_000_000L;

  private final int least;
  private final int most;
  private double limit;
  private double unloaded;
  private boolean probing;
  private long nextProbe;
  private long probeNanos = FIRST_PROBE_NANOS;

  GradientLimit(int initial, int least, int most) {
    this.limit = initial;
    this.least = least;
    this.most = most;
  }

  int limit() {
    return (int) Math.max(least, probing ? limit / 2 : limit);
  }

  /** Returns the latency without a queue, in nanoseconds; 0 while it is not known. */
  long unloadedNanos() {
    return (long) unloaded;
  }

  /**
   * Evaluates a window that has passed.
   *
   * @param nanos the mean latency of its calls
   * @param peak the largest number of concurrent calls
   * @return whether a probe begins. The next window then contains the calls that begin after the
   *     queue is empty
   */
  boolean passed(long now, double nanos, int peak) {
    if (probing) {
      probing = false;
      boolean differs = Math.abs(nanos - unloaded) > unloaded * STEP;
      probeNanos = differs ? FIRST_PROBE_NANOS : Math.min(2 * probeNanos, LONGEST_PROBE_NANOS);
      nextProbe = now + probeNanos;
      unloaded = nanos;
      return false;
    }
    if (unloaded == 0) {
      unloaded = nanos;
      nextProbe = now + probeNanos;
    }
    boolean loaded = 2 * peak >= limit;
    if (!loaded || nanos < unloaded) {
      unloaded += (nanos - unloaded) * STEP;
    }
    if (loaded && now - nextProbe >= 0) {
      probing = true;
      return true;
    }
    if (loaded) {
      double gradient = Math.clamp(TOLERANCE * unloaded / nanos, LEAST_GRADIENT, 1);
      limit = Math.clamp(gradient * limit + Math.sqrt(limit), least, most);
    }
    return false;
  }
}
