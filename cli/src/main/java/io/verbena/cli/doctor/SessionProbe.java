package io.verbena.cli.doctor;

import io.verbena.api.Session;
import io.verbena.api.SessionPath;
import io.verbena.cli.Credentials;
import io.verbena.cli.UpgradeWait;
import io.verbena.core.VerbenaClient;
import io.verbena.link.UpgradeProvider;
import java.io.PrintWriter;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Opens a session with a server, to see which path it gets. */
final class SessionProbe {
  private SessionProbe() {}

  /**
   * Waits for the session to upgrade, and returns the path it has then. The server's answer and the
   * connection have half of the time each, so that by its end it is known why there is none.
   *
   * @param upgrades the RDMA link of this program; null where it has none
   * @param credentials what the server is shown
   * @param wait how long at most; zero where it is known that it cannot upgrade
   * @throws io.verbena.api.RpcException if there is no session to be had
   */
  static SessionPath path(
      @Nullable UpgradeProvider upgrades,
      String address,
      Credentials credentials,
      Duration wait,
      PrintWriter out)
      throws InterruptedException {
    VerbenaClient.Builder builder = VerbenaClient.builder();
    credentials.showBy(builder);
    if (upgrades != null) {
      builder.upgrades(upgrades);
    }
    if (wait.isPositive()) {
      builder.connectTimeout(wait.dividedBy(2));
    }
    long start = System.nanoTime();
    try (VerbenaClient client = builder.build();
        Session session = client.connect(address)) {
      out.printf("Session with %s%n", address);
      out.printf("  opened in %d ms%n", millisSince(start));
      long waited = UpgradeWait.await(session, wait).toMillis();
      boolean upgraded = UpgradeWait.isUpgraded(session);
      out.printf(upgraded ? "  upgraded within %d ms%n" : "  not upgraded within %d ms%n", waited);
      return session.path();
    }
  }

  private static long millisSince(long nanos) {
    return Duration.ofNanos(System.nanoTime() - nanos).toMillis();
  }
}
