package io.verbena.cli.demo;

import io.verbena.api.Session;
import io.verbena.cli.JvmProcess;
import io.verbena.cli.Main;
import io.verbena.cli.UpgradeWait;
import io.verbena.core.VerbenaClient;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code verbena demo}: every kind of call, between two processes, on the best path there is. */
@Command(
    name = "demo",
    description = "Makes typed calls between two processes, on the best path there is.")
public final class DemoCommand implements Callable<Integer> {
  /** Two new JVMs, and perhaps on an emulated machine. */
  private static final Duration COLD_START = Duration.ofSeconds(60);

  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public Integer call() throws IOException {
    PrintWriter out = spec.commandLine().getOut();
    List<String> serves = JvmProcess.command(List.of(), Main.class, "demo-server");
    try (JvmProcess server = JvmProcess.start(serves, Map.of())) {
      String address = server.line();
      out.printf("server   process %d, at %s%n", server.pid(), address);
      out.printf("client   process %d, this one%n", ProcessHandle.current().pid());
      try (VerbenaClient client = VerbenaClient.builder().connectTimeout(COLD_START).build();
          Session session = client.connect(address)) {
        awaitUpgrade(session, out);
        new DemoCalls(session, out).run();
        out.printf("%npath: %s%n", session.path());
        out.flush();
      }
    }
    return 0;
  }

  /** So that the calls ride what the demonstration then says they rode. */
  private static void awaitUpgrade(Session session, PrintWriter out) {
    Duration longest = UpgradeWait.longest();
    if (longest.isPositive()) {
      try {
        long waited = UpgradeWait.await(session, longest).toMillis();
        boolean upgraded = UpgradeWait.isUpgraded(session);
        out.printf("upgrade  %s within %d ms%n", upgraded ? "to RDMA" : "not had", waited);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new DemoException("interrupted", e);
      }
    }
    out.println();
    out.flush();
  }
}
