package io.verbena.bench.command;

import io.verbena.bench.verbena.Idling;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options of a server, in this process or in another one. */
final class ServerOptions {
  private static final long NANOS_PER_MICRO = 1_000;

  @Mixin private SpinOption spin = new SpinOption();

  @Option(
      names = "--handler-delay",
      defaultValue = "0",
      paramLabel = "MICROS",
      converter = Numbers.Micros.class,
      description = "slow every handler down, to test whether a comparison finds it")
  private long delayMicros;

  @Option(
      names = "--loops",
      paramLabel = "N",
      converter = Numbers.Count.class,
      description =
          "the number of event loops of Verbena's server; default: the number of processors, at most"
              + " 8")
  private int loops;

  @Option(
      names = "--rivals-poll",
      description =
          "make the servers of rivals poll without waiting, if they can; they then occupy a processor")
  private boolean rivalsPoll;

  /** Returns options without a command line. */
  static ServerOptions idling(Idling idling) {
    ServerOptions options = new ServerOptions();
    options.spin = SpinOption.of(idling);
    return options;
  }

  /** Returns the defaults for a server that serves only rivals. */
  static ServerOptions forRivals() {
    ServerOptions options = new ServerOptions();
    options.rivalsPoll = true;
    return options;
  }

  Idling idling() {
    return spin.idling();
  }

  Duration delay() {
    return Duration.ofNanos(delayMicros * NANOS_PER_MICRO);
  }

  /** Returns the number of event loops of the server; 0 for the default. */
  int loops() {
    return loops;
  }

  boolean rivalsPoll() {
    return rivalsPoll;
  }

  /** Returns these options as words of a command line. */
  List<String> words() {
    List<String> words = new ArrayList<>();
    words.addAll(List.of(spin.words(), "--handler-delay=" + delayMicros));
    if (loops > 0) {
      words.add("--loops=" + loops);
    }
    if (rivalsPoll) {
      words.add("--rivals-poll");
    }
    return words;
  }
}
