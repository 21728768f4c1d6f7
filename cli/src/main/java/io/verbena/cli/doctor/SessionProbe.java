package io.verbena.cli.doctor;

import io.verbena.api.Path;
import io.verbena.api.Session;
import io.verbena.core.VerbenaClient;
import java.io.PrintWriter;
import java.time.Duration;

/** Opens a session with a server, to see which path it gets. */
final class SessionProbe {
  private static final Duration LOOK_EVERY = Duration.ofMillis(20);

  private SessionProbe() {}

  /**
   * Waits for the session to upgrade, and returns the path it has then.
   *
   * @param wait how long at most; zero where it is known that it cannot upgrade
   * @throws io.verbena.api.RpcException if there is no session to be had
   */
  static Path path(String address, Duration wait, PrintWriter out) throws InterruptedException {
    long start = System.nanoTime();
    try (VerbenaClient client = VerbenaClient.builder().build();
        Session session = client.connect(address)) {
      out.printf("Session with %s%n", address);
      out.printf("  opened in %d ms%n", millisSince(start));
      long opened = System.nanoTime();
      while (isTcp(session.path()) && System.nanoTime() - opened < wait.toNanos()) {
        Thread.sleep(LOOK_EVERY);
      }
      Path path = session.path();
      out.printf(
          isTcp(path) ? "  not upgraded within %d ms%n" : "  upgraded within %d ms%n",
          millisSince(opened));
      return path;
    }
  }

  private static boolean isTcp(Path path) {
    return !path.link().equals("rdma");
  }

  private static long millisSince(long nanos) {
    return Duration.ofNanos(System.nanoTime() - nanos).toMillis();
  }
}
