package io.verbena.bench.report;

import io.verbena.bench.load.Load;
import io.verbena.bench.load.Turn;
import io.verbena.bench.usage.Usage;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * The figures of one turn. Latencies are of the whole round trip, in microseconds.
 *
 * @param gigabytesPerSecond the payload in both directions together, in 10^9 bytes
 * @param besideGigabytesPerSecond the payload that was moved beside the calls, in 10^9 bytes
 * @param server the server's share; null if both ends are one process, whose share is the client's
 */
public record Round(
    double p50,
    double p90,
    double p99,
    double p999,
    double max,
    long calls,
    double callsPerSecond,
    double gigabytesPerSecond,
    double besideGigabytesPerSecond,
    Share client,
    @Nullable Share server) {

  /**
   * The resources that one side used.
   *
   * @param cpuMicros the processor time for each call
   * @param cpuSecondsPerGigabyte the processor time for 10^9 bytes of payload
   * @param allocatedBytes the allocated bytes for each call
   * @param contextSwitches the context switches for each call
   */
  public record Share(
      double cpuMicros,
      double cpuSecondsPerGigabyte,
      double allocatedBytes,
      double contextSwitches) {
    static Share of(Usage usage, double calls, double bytes) {
      return new Share(
          usage.cpuNanos() / 1e3 / calls,
          usage.cpuNanos() / bytes,
          usage.allocatedBytes() / calls,
          usage.contextSwitches() / calls);
    }
  }

  /** Returns the processor time of both sides for each call, in microseconds; 0 if unknown. */
  public double cpuMicros() {
    return client.cpuMicros() + (server == null ? 0 : server.cpuMicros());
  }

  /** Returns the figures that an external program reports; 0 for figures that it does not. */
  public static Round told(
      double p50,
      double p99,
      double p999,
      double max,
      long calls,
      double callsPerSecond,
      double gigabytesPerSecond) {
    Share none = new Share(0, 0, 0, 0);
    return new Round(
        p50, 0, p99, p999, max, calls, callsPerSecond, gigabytesPerSecond, 0, none, none);
  }

  /** Returns the figures of a turn. */
  public static Round of(Load load, Turn turn, Usage client, @Nullable Usage server) {
    Histogram nanos = turn.nanos();
    double calls = Math.max(1, turn.calls());
    double bytes = calls * load.kind().payloadBytes(load.size());
    return new Round(
        micros(nanos, 50),
        micros(nanos, 90),
        micros(nanos, 99),
        micros(nanos, 99.9),
        nanos.getMaxValue() / 1e3,
        turn.calls(),
        turn.calls() / turn.seconds(),
        turn.calls() * (bytes / calls) / turn.seconds() / 1e9,
        turn.bytesBeside() / turn.seconds() / 1e9,
        Share.of(client, calls, bytes),
        server == null ? null : Share.of(server, calls, bytes));
  }

  private static double micros(Histogram nanos, double percentile) {
    return nanos.getTotalCount() == 0 ? 0 : nanos.getValueAtPercentile(percentile) / 1e3;
  }
}
