package io.verbena.bench.command;

import io.verbena.bench.load.Load;
import io.verbena.bench.run.ServerProcess;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The command {@code bench local}. The server runs in a second JVM, the client in this one. */
@Command(name = "local", description = "Measures between two processes on this host.")
public final class LocalCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();
  @Mixin private LoadOptions loads = new LoadOptions();
  @Mixin private RunOptions run = new RunOptions();
  @Mixin private OutputOptions output = new OutputOptions();
  @Mixin private ServerOptions server = new ServerOptions();

  @Option(
      names = "--address",
      paramLabel = "HOST",
      description =
          "an address of this host; RDMA needs the address of a device. Default: a device's address, else loopback")
  private String address = Addresses.ofThisHost();

  @Override
  public Integer call() throws IOException, InterruptedException {
    List<Load> asked = loads.loads();
    output.check(run.rounds, spec.commandLine().getErr());
    List<String> options = new ArrayList<>(server.words());
    options.addAll(List.of("--listen", address + ":0"));
    try (ServerProcess process = ServerProcess.start(options);
        Bench bench = Bench.here(spec, run, server, process.address())) {
      output.write(bench.run(asked), spec.commandLine().getOut());
      return 0;
    }
  }
}
