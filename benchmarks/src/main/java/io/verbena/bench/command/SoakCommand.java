package io.verbena.bench.command;

import io.verbena.bench.soak.Soak;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code bench soak}: every kind of call and transfer under random faults, all accounted for. */
@Command(
    name = "soak",
    description = {
      "Makes calls and transfers of every kind while links are cut, RDMA paths broken off, and the"
          + " server killed, restarted and stopped, by a printed seed; exits with 1 when a call is lost,"
          + " doubled or hangs, or when what a process holds grows.",
      "It takes somewhat longer than it is told, until all has come to rest."
    })
public final class SoakCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--on",
      defaultValue = "tcp",
      paramLabel = "WHAT",
      description =
          "tcp: two processes; fabric: RDMA in memory, in one process; device: RDMA on this host's"
              + " device, two processes; default: ${DEFAULT-VALUE}")
  private Soak.Mode mode = Soak.Mode.TCP;

  @Option(
      names = {"-D", "--duration"},
      defaultValue = "120",
      paramLabel = "SECONDS",
      converter = Numbers.Turn.class,
      description = "how long, warm-up included; default: ${DEFAULT-VALUE}")
  private Duration duration = Duration.ofMinutes(2);

  @Option(
      names = "--seed",
      paramLabel = "SEED",
      description = "of the faults and their times; default: another each time")
  private @Nullable Long seed;

  @Override
  public Integer call() throws IOException, InterruptedException {
    long chosen = seed == null ? ThreadLocalRandom.current().nextInt(Integer.MAX_VALUE) : seed;
    Soak soak = new Soak(mode, chosen, duration, spec.commandLine().getOut());
    return soak.run(Addresses.ofThisHost()) ? 0 : 1;
  }
}
