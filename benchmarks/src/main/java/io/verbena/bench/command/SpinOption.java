package io.verbena.bench.command;

import java.time.Duration;
import picocli.CommandLine.Option;

/** How a process's own event loops idle. */
final class SpinOption {
  private static final long NANOS_PER_MICRO = 1_000;

  @Option(
      names = "--spin",
      defaultValue = "0",
      paramLabel = "MICROS",
      description =
          "how long an idle event loop looks for work before it waits; default: as it comes, about a"
              + " round trip on RDMA and 0 on TCP")
  private long micros;

  static SpinOption of(Duration spin) {
    SpinOption option = new SpinOption();
    option.micros = spin.toNanos() / NANOS_PER_MICRO;
    return option;
  }

  Duration spin() {
    return Duration.ofNanos(micros * NANOS_PER_MICRO);
  }

  /** Returns this option as a user writes it. */
  String words() {
    return "--spin=" + micros;
  }
}
