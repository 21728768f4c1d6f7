package io.verbena.bench.soak;

import io.verbena.bench.run.Subprocess;
import io.verbena.core.link.UpgradeProvider;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The server in a process of its own, over TCP or a verbs device of this host. */
final class ProcessWorld implements SoakWorld {
  private static final List<String> FLAGS = List.of("-Xmx512m");

  private final Path executions;
  private final @Nullable UpgradeProvider upgrades;
  private final String address;
  private Subprocess server;

  ProcessWorld(String host, Path executions, @Nullable UpgradeProvider upgrades)
      throws IOException {
    this.executions = executions;
    this.upgrades = upgrades;
    this.server = start(host + ":0");
    this.address = server.line();
  }

  private Subprocess start(String at) throws IOException {
    return Subprocess.start(
        FLAGS,
        SoakServerProgram.class,
        at,
        executions.toString(),
        Boolean.toString(upgrades != null));
  }

  @Override
  public String address() {
    return address;
  }

  @Override
  public @Nullable UpgradeProvider upgrades() {
    return upgrades;
  }

  @Override
  public boolean hasProcess() {
    return true;
  }

  @Override
  public void restart(long pauseMillis) throws IOException, InterruptedException {
    server.kill();
    server.close();
    Thread.sleep(pauseMillis);
    server = start(address);
    server.line();
  }

  @Override
  public void pause(long millis) throws IOException, InterruptedException {
    server.freeze();
    try {
      Thread.sleep(millis);
    } finally {
      server.thaw();
    }
  }

  @Override
  public void close() throws IOException {
    server.close();
  }
}
