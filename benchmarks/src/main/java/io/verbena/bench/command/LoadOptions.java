package io.verbena.bench.command;

import io.verbena.bench.load.Handler;
import io.verbena.bench.load.Kind;
import io.verbena.bench.load.Load;
import io.verbena.bench.load.Memory;
import io.verbena.bench.load.Mode;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** What is asked of the contestants; with perftest's letters where it has the same. */
final class LoadOptions {
  enum Sweep {
    SIZE,
    DEPTH
  }

  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec = CommandSpec.create();

  @Option(
      names = {"-w", "--workload"},
      defaultValue = "CALL",
      paramLabel = "KIND",
      description =
          "call, push, pull (large messages), put, fetch (large objects), mixed (calls of 64 bytes"
              + " beside objects of the size), oneway (in order) or"
              + " connect (until the path that is measured carries a call);"
              + " default: ${DEFAULT-VALUE}")
  private Kind kind = Kind.CALL;

  @Option(
      names = {"-s", "--size"},
      defaultValue = "64",
      paramLabel = "BYTES",
      converter = Bytes.class,
      description =
          "bytes of a message or object, 8 at least, as 64, 64k or 4m; default: ${DEFAULT-VALUE}")
  private int size = 64;

  @Option(
      names = {"-o", "--outstanding", "--threads"},
      defaultValue = "1",
      paramLabel = "N",
      converter = Numbers.Count.class,
      description =
          "calls under way at a time on each connection; of callers that wait, each has a thread."
              + " Default: ${DEFAULT-VALUE}")
  private int outstanding = 1;

  @Option(
      names = {"-q", "--connections"},
      defaultValue = "1",
      paramLabel = "N",
      converter = Numbers.Count.class,
      description = "connections; default: ${DEFAULT-VALUE}")
  private int connections = 1;

  @Option(
      names = {"-c", "--callers"},
      defaultValue = "ASYNC",
      paramLabel = "HOW",
      description = "async, virtual or platform (threads that wait); default: ${DEFAULT-VALUE}")
  private Mode mode = Mode.ASYNC;

  @Option(
      names = "--handler",
      defaultValue = "NONBLOCKING",
      paramLabel = "HOW",
      description = "nonblocking (on the event loop) or virtual; default: ${DEFAULT-VALUE}")
  private Handler handler = Handler.NONBLOCKING;

  @Option(
      names = {"-r", "--rate"},
      paramLabel = "PER_SECOND",
      converter = Numbers.PerSecond.class,
      description =
          "calls that are due each second, all connections together; a call's latency counts from"
              + " when it was due, late or not. Default: a call is due when another has ended")
  private double rate;

  @Option(
      names = {"-D", "--duration"},
      defaultValue = "1",
      paramLabel = "SECONDS",
      converter = Numbers.Turn.class,
      description = "how long a turn is; default: ${DEFAULT-VALUE}")
  private Duration time = Duration.ofSeconds(1);

  @Option(
      names = {"-n", "--count"},
      paramLabel = "CALLS",
      converter = Numbers.Calls.class,
      description = "how many calls a turn makes, instead of a duration")
  private long count;

  @Option(
      names = "--sweep",
      paramLabel = "WHAT",
      description =
          "size (64 B to 1 MiB, of objects 4 KiB to 64 MiB) or depth (1 to 256 outstanding)")
  private @Nullable Sweep sweep;

  @Option(
      names = {"-a", "--all"},
      description = "every size, as --sweep size")
  private boolean allSizes;

  @Option(
      names = "--memory",
      defaultValue = "WARM",
      paramLabel = "WHICH",
      description =
          "of put and fetch: warm (the same each time), cold (new each time), file (from one into"
              + " warm memory) or files (from one into another); default: ${DEFAULT-VALUE}")
  private Memory memory = Memory.WARM;

  @Option(
      names = "--validate",
      description =
          "compare every byte of every answer, and of every object that is fetched; the server does"
              + " not look at what it is sent")
  private boolean validate;

  @Option(
      names = "--checksum",
      description =
          "checksum large objects on their way, as is the default of files; without, what moves them"
              + " is measured alone")
  private boolean checksum;

  /**
   * Returns the loads, in the order in which they are put.
   *
   * @throws ParameterException if options contradict each other
   */
  List<Load> loads() {
    if (allSizes && sweep == Sweep.DEPTH) {
      throw new ParameterException(
          spec.commandLine(), "-a sweeps the size and '--sweep depth' the depth: one at a time");
    }
    if (size < Kind.NUMBER_BYTES) {
      throw new ParameterException(
          spec.commandLine(), "--size is at least 8, since a message holds its number");
    }
    if (memory != Memory.WARM && !kind.movesObjects()) {
      throw new ParameterException(
          spec.commandLine(), "--memory is of large objects: of '-w put' and '-w fetch'");
    }
    if (checksum && !kind.movesObjects()) {
      throw new ParameterException(
          spec.commandLine(), "--checksum is of large objects: of '-w put' and '-w fetch'");
    }
    Load load =
        new Load(
            kind,
            size,
            outstanding,
            connections,
            mode,
            handler,
            rate,
            time,
            count,
            memory,
            validate,
            checksum);
    if (sweep == Sweep.SIZE || allSizes) {
      int least = kind.movesObjects() ? 4 << 10 : 64;
      int most = kind.movesObjects() ? 64 << 20 : 1 << 20;
      return IntStream.iterate(least, bytes -> bytes <= most, bytes -> 4 * bytes)
          .mapToObj(load::withSize)
          .toList();
    }
    if (sweep == Sweep.DEPTH) {
      return IntStream.of(1, 4, 16, 64, 256).mapToObj(load::withOutstanding).toList();
    }
    return List.of(load);
  }
}
