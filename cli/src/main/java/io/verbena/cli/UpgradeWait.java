package io.verbena.cli;

import io.verbena.api.Session;
import io.verbena.core.upgrade.ChosenUpgrades;
import io.verbena.link.UpgradeProvider;
import java.time.Duration;
import java.util.Set;

/** Waits for a session to take a better link. Safe for use by any thread. */
public final class UpgradeWait {
  /** The server's answer and the connection may take a connect time-out each, 5 s by default. */
  private static final Duration LONGEST = Duration.ofSeconds(20);

  private static final Duration LOOK_EVERY = Duration.ofMillis(20);

  private static final Set<String> BETTER = Set.of("rdma", "shm");

  private UpgradeWait() {}

  /**
   * Returns how long an upgrade from here may take at most: no time where there is nothing to
   * upgrade to.
   */
  public static Duration longest() {
    return hasBetter() ? LONGEST : Duration.ZERO;
  }

  /** Returns whether this host has links that a session may upgrade to. */
  private static boolean hasBetter() {
    return ChosenUpgrades.onClassPath().stream()
        .anyMatch(one -> one.availability() instanceof UpgradeProvider.Availability.Available);
  }

  /**
   * Waits until a session is upgraded, or the time is over.
   *
   * @return how long it took; at least {@code longest} if the session is not upgraded
   */
  public static Duration await(Session session, Duration longest) throws InterruptedException {
    long start = System.nanoTime();
    while (!isUpgraded(session) && System.nanoTime() - start < longest.toNanos()) {
      Thread.sleep(LOOK_EVERY);
    }
    return Duration.ofNanos(System.nanoTime() - start);
  }

  /** Returns whether what this end sends goes by a better link than TCP now. */
  public static boolean isUpgraded(Session session) {
    return BETTER.contains(session.path().link());
  }
}
