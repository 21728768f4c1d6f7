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

/** Opens a session with a server to find out its path. */
final class SessionProbe {
  private SessionProbe() {}

  /**
   * Waits for the session to upgrade, and returns its path. The server's answer and the connection
   * each get half of the time, so that the reason of a failed upgrade is known at the end.
   *
   * @param upgrades the RDMA link of this program; null if it has none
   * @param wait the longest time for the upgrade; zero if an upgrade is impossible
   * @throws io.verbena.api.RpcException if the session cannot be opened
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
      String found = upgraded ? "upgraded" : "not upgraded";
      out.println("  " + found + (wait.isPositive() ? " within " + waited + " ms" : ""));
      return session.path();
    }
  }

  private static long millisSince(long nanos) {
    return Duration.ofNanos(System.nanoTime() - nanos).toMillis();
  }
}
