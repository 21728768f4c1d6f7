package io.verbena.cli.demo;

import io.verbena.api.Session;
import io.verbena.cli.JvmProcess;
import io.verbena.cli.Main;
import io.verbena.cli.UpgradeWait;
import io.verbena.core.PathPolicy;
import io.verbena.core.SessionLimits;
import io.verbena.core.VerbenaClient;
import io.verbena.core.upgrade.ChosenUpgrades;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The command {@code verbena demo}. It makes every kind of call between two processes. */
@Command(
    name = "demo",
    description = "Makes typed calls between two processes, on the best available path.")
public final class DemoCommand implements Callable<Integer> {
  /** The paths of calls. The names are those that users write. */
  private enum Path {
    shm,
    rdma,
    tcp
  }

  /** Two JVMs start, perhaps on an emulated machine of a busy host. */
  private static final Duration COLD_START = Duration.ofSeconds(60);

  /** The limits of both ends. Neither gives the other up while it only stands still. */
  static final SessionLimits PATIENT =
      SessionLimits.DEFAULT
          .withDefaultTimeout(COLD_START)
          .withKeepalive(SessionLimits.DEFAULT.pingInterval(), COLD_START)
          .withResumeWindow(COLD_START);

  @Option(
      names = "--over",
      paramLabel = "KIND",
      description = "the path of the calls: ${COMPLETION-CANDIDATES}; TCP if it is not available")
  private @Nullable Path over;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public Integer call() throws IOException {
    PrintWriter out = spec.commandLine().getOut();
    List<String> serves = JvmProcess.command(List.of(), Main.class, "demo-server");
    try (JvmProcess server = JvmProcess.start(serves, Map.of())) {
      String address = server.line();
      out.printf("server   process %d, at %s%n", server.pid(), address);
      out.printf("client   process %d, this one%n", ProcessHandle.current().pid());
      try (VerbenaClient client = client();
          Session session = client.connect(address)) {
        awaitUpgrade(session, out);
        new DemoCalls(session, out).run();
        out.printf("%npath: %s%n", session.path());
        out.flush();
      }
    }
    return 0;
  }

  private VerbenaClient client() {
    VerbenaClient.Builder builder =
        VerbenaClient.builder().limits(PATIENT).connectTimeout(COLD_START);
    Path wanted = over;
    if (wanted == Path.tcp) {
      builder.path(PathPolicy.TCP_ONLY);
    } else if (wanted != null) {
      System.setProperty(ChosenUpgrades.PROPERTY, wanted.name());
    }
    return builder.build();
  }

  /** Waits for the upgrade, so that all calls use the path that is printed at the end. */
  private void awaitUpgrade(Session session, PrintWriter out) {
    Duration longest = over == Path.tcp ? Duration.ZERO : UpgradeWait.longest();
    if (longest.isPositive()) {
      try {
        Duration most = over == null ? longest : COLD_START; // the path was asked for
        long waited = UpgradeWait.await(session, most).toMillis();
        String upgrade =
            switch (session.path().link()) {
              case "rdma" -> "to RDMA";
              case "shm" -> "to shared memory";
              default -> "did not happen";
            };
        out.printf("upgrade  %s within %d ms%n", upgrade, waited);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new DemoException("interrupted", e);
      }
    }
    out.println();
    out.flush();
  }
}
