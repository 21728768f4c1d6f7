package io.verbena.bench.goal;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Processes that need processors all the time, as long as it is open. */
public final class Neighbours implements AutoCloseable {
  private final List<Process> all = new ArrayList<>();

  /** Starts as many as twice the processors. */
  public static Neighbours start() throws IOException {
    Neighbours started = new Neighbours();
    try {
      for (int i = 0; i < 2 * Runtime.getRuntime().availableProcessors(); i++) {
        started.all.add(new ProcessBuilder("sh", "-c", "while :; do :; done").start());
      }
      return started;
    } catch (IOException e) {
      started.close();
      throw e;
    }
  }

  private Neighbours() {}

  @Override
  public void close() {
    all.forEach(Process::destroyForcibly);
  }
}
