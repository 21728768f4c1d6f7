package io.verbena.it.machines;

import io.verbena.core.SessionLimits;
import io.verbena.testkit.JavaProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Servers in processes of their own, each at an address that it keeps. */
final class Fleet implements AutoCloseable {
  /** Short bounds, for both ends. */
  static final SessionLimits LIMITS =
      SessionLimits.DEFAULT
          .withKeepalive(Duration.ofMillis(500), Duration.ofSeconds(5))
          .withResumeWindow(Duration.ofMillis(500));

  private final Path journal;
  private final List<JavaProcess> processes = new ArrayList<>();
  private final List<String> addresses = new ArrayList<>();

  Fleet(int servers, Path journal) throws IOException {
    this.journal = journal;
    for (int i = 0; i < servers; i++) {
      processes.add(JavaProcess.start(TillProcess.class, "127.0.0.1:0", journal.toString()));
    }
    for (JavaProcess process : processes) {
      addresses.add(process.line().replace("tcp://", ""));
    }
  }

  /** Returns where they are, as a channel is told. */
  String target() {
    return "static:" + String.join(",", addresses);
  }

  /** Ends one with SIGKILL: no word to anybody. */
  void kill(int server) throws InterruptedException {
    processes.get(server).kill();
  }

  /** Ends one with SIGTERM, and returns when its process has ended. */
  void drain(int server) throws InterruptedException {
    JavaProcess process = processes.get(server);
    process.terminate();
    if (!process.process().waitFor(30, TimeUnit.SECONDS)) {
      throw new AssertionError(addresses.get(server) + " does not end");
    }
  }

  /** Starts one again, and returns when it serves. */
  void restart(int server) throws IOException {
    processes.get(server).close();
    String address = addresses.get(server);
    JavaProcess next = JavaProcess.start(TillProcess.class, address, journal.toString());
    processes.set(server, next);
    next.line();
  }

  void killAll() throws InterruptedException {
    for (JavaProcess process : processes) {
      process.kill();
    }
  }

  @Override
  public void close() throws IOException {
    for (JavaProcess process : processes) {
      process.close();
    }
  }
}
