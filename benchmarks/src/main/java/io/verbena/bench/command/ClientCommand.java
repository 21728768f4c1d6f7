package io.verbena.bench.command;

import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code bench client}: calls a {@code bench server} on another host. */
@Command(
    name = "client",
    description = "Measures against 'bench server' on another host.",
    mixinStandardHelpOptions = true)
public final class ClientCommand implements Callable<Integer> {
  private static final String DEFAULT_PORT = ":7410";

  @Spec private CommandSpec spec = CommandSpec.create();
  @Mixin private LoadOptions loads = new LoadOptions();
  @Mixin private RunOptions run = new RunOptions();
  @Mixin private OutputOptions output = new OutputOptions();
  @Mixin private ServerOptions server = new ServerOptions();

  @Parameters(paramLabel = "HOST[:PORT]", description = "the server; its port is 7410 if not given")
  private String host = "";

  @Override
  public Integer call() throws IOException, InterruptedException {
    String address = host.contains(":") ? host : host + DEFAULT_PORT;
    try (Bench bench = new Bench(spec, run, server, address, false)) {
      output.write(bench.run(loads.loads()), spec.commandLine().getOut());
      return 0;
    }
  }
}
