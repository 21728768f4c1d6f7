package io.verbena.bench.command;

import io.verbena.bench.load.Load;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command {@code bench client}. It calls a {@code bench server} on another host. */
@Command(name = "client", description = "Measures against 'bench server' on another host.")
public final class ClientCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();
  @Mixin private LoadOptions loads = new LoadOptions();
  @Mixin private RunOptions run = new RunOptions();
  @Mixin private OutputOptions output = new OutputOptions();
  @Mixin private SpinOption spin = new SpinOption();

  @Parameters(
      paramLabel = "HOST[:PORT]",
      description =
          "the address of the server, such as host, 10.7.0.1, ::1 or [::1]:7410; default port: 7410")
  private String host = "";

  @Override
  public Integer call() throws IOException, InterruptedException {
    List<Load> asked = loads.loads();
    output.check(run.rounds, spec.commandLine().getErr());
    String address = Addresses.withPort(host);
    try (Bench bench = Bench.elsewhere(spec, run, spin.idling(), address)) {
      output.write(bench.run(asked), spec.commandLine().getOut());
      return 0;
    }
  }
}
