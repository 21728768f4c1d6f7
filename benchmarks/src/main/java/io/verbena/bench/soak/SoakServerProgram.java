package io.verbena.bench.soak;

import io.verbena.bench.run.Subprocess;
import io.verbena.core.upgrade.ChosenUpgrades;
import java.io.IOException;
import java.nio.file.Path;

/** A server that may be killed and stopped. Prints where it listens. */
final class SoakServerProgram {
  private SoakServerProgram() {}

  /** Takes the address, the file of executions, and whether RDMA is wanted. */
  public static void main(String[] args) throws IOException {
    Soak.keepQuiet();
    boolean rdma = Boolean.parseBoolean(args[2]);
    try (Executions executions = new Executions(Path.of(args[1]));
        SoakServer server =
            SoakServer.start(args[0], executions, rdma ? ChosenUpgrades.onClassPath() : null)) {
      System.out.println(server.address());
      Subprocess.awaitEndOfInput();
    }
  }
}
