package io.verbena.bench.command;

import io.verbena.bench.abuse.AbuseMeter;
import io.verbena.bench.abuse.AbuseTable;
import io.verbena.bench.load.Handler;
import io.verbena.bench.load.Kind;
import io.verbena.bench.load.Load;
import io.verbena.bench.load.Memory;
import io.verbena.bench.load.Mode;
import io.verbena.testkit.abuse.Abuse;
import java.io.IOException;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code bench abuse}: what others notice of clients that misuse their server. */
@Command(
    name = "abuse",
    description = {
      "Measures the calls of healthy clients by turns without and with an abuse of their server;"
          + " exits with 1 when their p99 more than doubles, or the server's memory exceeds its budget"
          + " or is not given back.",
      "Server, abusers and healthy clients have processes of their own. Abusers get what is left of"
          + " the processors, as if they ran elsewhere."
    })
public final class AbuseCommand implements Callable<Integer> {
  private static final int SIZE = 64;
  private static final int CONNECTIONS = 4;
  private static final int OUTSTANDING = 64;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--only",
      split = ",",
      paramLabel = "ABUSE",
      description = "which: ${COMPLETION-CANDIDATES}; default: all")
  private Set<Abuse> only = EnumSet.allOf(Abuse.class);

  @Option(
      names = "--most",
      defaultValue = "10000",
      paramLabel = "N",
      converter = Numbers.Count.class,
      description = "how many connections an abuse has at most; default: ${DEFAULT-VALUE}")
  private int most = 10_000;

  @Option(
      names = {"-D", "--duration"},
      defaultValue = "5",
      paramLabel = "SECONDS",
      converter = Numbers.Turn.class,
      description = "how long a turn is; default: ${DEFAULT-VALUE}")
  private Duration turn = Duration.ofSeconds(5);

  @Option(
      names = "--rounds",
      defaultValue = "3",
      paramLabel = "N",
      converter = Numbers.Count.class,
      description = "how many turns there are without, and as many with; default: ${DEFAULT-VALUE}")
  private int rounds = 3;

  @Option(
      names = {"-r", "--rate"},
      defaultValue = "1000",
      paramLabel = "CALLS",
      converter = Numbers.PerSecond.class,
      description = "calls of the healthy clients each second; default: ${DEFAULT-VALUE}")
  private double rate = 1_000;

  @Override
  public Integer call() throws IOException, InterruptedException {
    Load load =
        new Load(
            Kind.CALL,
            SIZE,
            OUTSTANDING,
            CONNECTIONS,
            Mode.ASYNC,
            Handler.VIRTUAL,
            rate,
            turn,
            0,
            Memory.WARM,
            true,
            false);
    AbuseMeter meter = new AbuseMeter(load, rounds);
    return AbuseTable.print(new TreeSet<>(only), most, meter, spec.commandLine().getOut()) ? 0 : 1;
  }
}
