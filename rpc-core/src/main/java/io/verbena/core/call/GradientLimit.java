package io.verbena.core.call;

/**
 * How many calls at once a server does well with, by their latency: the gradient of Envoy's
 * adaptive concurrency filter and of Netflix's concurrency-limits,
 *
 * <pre>
 *   gradient = tolerance × unloaded latency / latency, between ½ and 1
 *   limit    = gradient × limit + √limit
 * </pre>
 *
 * <p>Where c calls at once use all that the server has, latency grows with the limit beyond c, and
 * the limit comes to rest at about 1¼ c + √c: nothing idles, and the queue is short.
 *
 * <p>The unloaded latency is taken from windows with few calls. Under load it cannot be seen: so
 * now and then, and at first every second, the limit is halved until a window has passed. From the
 * limit's rest, half of it is less than c, and so the window has no queue; from far above, each
 * probe comes closer. Without probes a limit rises as long as an overload lasts, since the queue
 * becomes what is normal.
 *
 * <p>Its caller sees to it that one thread at a time uses it.
 */
final class GradientLimit {
  private static final double TOLERANCE = 1.25;
  private static final double LEAST_GRADIENT = 0.5;

  /** Windows differ by chance: one moves what is known of latency by so little. */
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

  /** Returns the limit now. */
  int limit() {
    return (int) Math.max(least, probing ? limit / 2 : limit);
  }

  /** Returns the latency without a queue, in nanoseconds; 0 while it is not known. */
  long unloadedNanos() {
    return (long) unloaded;
  }

  /**
   * A window has passed.
   *
   * @param nanos the mean latency of its calls
   * @param peak the most calls at once
   * @return whether a probe begins: the next window is that of calls that begin when the queue is
   *     gone
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
