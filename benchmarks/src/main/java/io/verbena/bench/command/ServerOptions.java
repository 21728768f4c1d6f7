package io.verbena.bench.command;

import io.verbena.bench.verbena.Idling;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What a server is started with, here or in a process of its own. */
final class ServerOptions {
  private static final long NANOS_PER_MICRO = 1_000;

  @Mixin private SpinOption spin = new SpinOption();

  @Option(
      names = "--handler-delay",
      defaultValue = "0",
      paramLabel = "MICROS",
      converter = Numbers.Micros.class,
      description = "makes every handler slower, to see whether a comparison finds it")
  private long delayMicros;

  @Option(
      names = "--loops",
      paramLabel = "N",
      converter = Numbers.Count.class,
      description =
          "event loops that Verbena's server spreads its sessions over; default: as many as"
              + " processors, at most 8")
  private int loops;

  @Option(
      names = "--rivals-poll",
      description =
          "a rival's server that can do so never waits, and leaves little of a processor to others")
  private boolean rivalsPoll;

  /** Returns options that no command line was read for. */
  static ServerOptions idling(Idling idling) {
    ServerOptions options = new ServerOptions();
    options.spin = SpinOption.of(idling);
    return options;
  }

  /** Returns the defaults for a server that only rivals are to be measured against. */
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

  /** Returns how many event loops the server shall have; 0: as many as it comes with. */
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
