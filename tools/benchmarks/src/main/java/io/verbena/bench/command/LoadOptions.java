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

/** The options of the load. They have perftest's letters if perftest has the same option. */
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
          "the kind of load: call, push, pull (large messages), put, fetch (large objects), mixed"
              + " (calls of 64 bytes beside objects of the size), oneway (in order) or connect (until"
              + " the measured path carries a call); default: ${DEFAULT-VALUE}")
  private Kind kind = Kind.CALL;

  @Option(
      names = {"-s", "--size"},
      defaultValue = "64",
      paramLabel = "BYTES",
      converter = Bytes.class,
      description =
          "bytes of a message or object, at least 8, such as 64, 64k or 4m; default: ${DEFAULT-VALUE}")
  private int size = 64;

  @Option(
      names = {"-o", "--outstanding", "--threads"},
      defaultValue = "1",
      paramLabel = "N",
      converter = Numbers.Count.class,
      description =
          "concurrent calls on each connection; each waiting caller has its own thread. Default:"
              + " ${DEFAULT-VALUE}")
  private int outstanding = 1;

  @Option(
      names = {"-q", "--connections"},
      defaultValue = "1",
      paramLabel = "N",
      converter = Numbers.Count.class,
      description = "the number of connections; default: ${DEFAULT-VALUE}")
  private int connections = 1;

  @Option(
      names = {"-c", "--callers"},
      defaultValue = "ASYNC",
      paramLabel = "HOW",
      description =
          "the callers: async, virtual or platform (waiting threads); default: ${DEFAULT-VALUE}")
  private Mode mode = Mode.ASYNC;

  @Option(
      names = "--handler",
      defaultValue = "NONBLOCKING",
      paramLabel = "HOW",
      description =
          "the handler: nonblocking (on the event loop) or virtual; default: ${DEFAULT-VALUE}")
  private Handler handler = Handler.NONBLOCKING;

  @Option(
      names = {"-r", "--rate"},
      paramLabel = "PER_SECOND",
      converter = Numbers.PerSecond.class,
      description =
          "calls that are due each second, over all connections. The latency of a call counts from"
              + " its due time, even if it starts late. Default: a call is due when another has ended")
  private double rate;

  @Option(
      names = {"-D", "--duration"},
      defaultValue = "1",
      paramLabel = "SECONDS",
      converter = Numbers.Turn.class,
      description = "the duration of a turn; default: ${DEFAULT-VALUE}")
  private Duration time = Duration.ofSeconds(1);

  @Option(
      names = {"-n", "--count"},
      paramLabel = "CALLS",
      converter = Numbers.Calls.class,
      description = "the number of calls in a turn, in place of a duration")
  private long count;

  @Option(
      names = "--sweep",
      paramLabel = "WHAT",
      description =
          "run the load for several values: size (64 B to 1 MiB; objects 4 KiB to 64 MiB) or depth"
              + " (1 to 256 outstanding calls)")
  private @Nullable Sweep sweep;

  @Option(
      names = {"-a", "--all"},
      description = "the same as --sweep size")
  private boolean allSizes;

  @Option(
      names = "--memory",
      defaultValue = "WARM",
      paramLabel = "WHICH",
      description =
          "the memory of put and fetch: warm (the same each time), cold (new each time), file (from a"
              + " file into warm memory) or files (from file to file); default: ${DEFAULT-VALUE}")
  private Memory memory = Memory.WARM;

  @Option(
      names = "--validate",
      description =
          "compare every byte of every answer and of every fetched object; the server does not check"
              + " the bytes that it receives")
  private boolean validate;

  @Option(
      names = "--checksum",
      description =
          "checksum large objects in transfer, as files are by default; without it, only the transfer"
              + " is measured")
  private boolean checksum;

  /**
   * Returns the loads in the order of the run.
   *
   * @throws ParameterException if options contradict each other
   */
  List<Load> loads() {
    if (allSizes && sweep == Sweep.DEPTH) {
      throw new ParameterException(
          spec.commandLine(), "-a sweeps the size, but '--sweep depth' the depth; use one of them");
    }
    if (size < Kind.NUMBER_BYTES) {
      throw new ParameterException(
          spec.commandLine(), "--size must be at least 8, because a message contains its number");
    }
    if (memory != Memory.WARM && !kind.movesObjects()) {
      throw new ParameterException(
          spec.commandLine(), "--memory needs large objects: '-w put' or '-w fetch'");
    }
    if (checksum && !kind.movesObjects()) {
      throw new ParameterException(
          spec.commandLine(), "--checksum needs large objects: '-w put' or '-w fetch'");
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
