package io.verbena.cli;

import io.verbena.api.Session;
import io.verbena.core.upgrade.ChosenUpgrades;
import io.verbena.link.UpgradeProvider;
import java.time.Duration;
import java.util.Set;
import java.util.stream.Collectors;

/** Waits until a session has upgraded to a better link than TCP. Safe for use by any thread. */
public final class UpgradeWait {
  /** The server's answer and the connection may each take a connect timeout, 5 s by default. */
  private static final Duration LONGEST = Duration.ofSeconds(20);

  private static final Duration LOOK_EVERY = Duration.ofMillis(20);

  private static final Set<String> BETTER =
      ChosenUpgrades.onClassPath().stream()
          .map(UpgradeProvider::kind)
          .collect(Collectors.toUnmodifiableSet());

  private UpgradeWait() {}

  /**
   * Returns the longest time that an upgrade from this host may take. The time is zero if this host
   * has no better link.
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
   * Waits until a session is upgraded, or for {@code longest}.
   *
   * @return the time of the wait; at least {@code longest} if the session is not upgraded
   */
  public static Duration await(Session session, Duration longest) throws InterruptedException {
    long start = System.nanoTime();
    while (!isUpgraded(session) && System.nanoTime() - start < longest.toNanos()) {
      Thread.sleep(LOOK_EVERY);
    }
    return Duration.ofNanos(System.nanoTime() - start);
  }

  /** Returns whether this end now sends over a better link than TCP. */
  public static boolean isUpgraded(Session session) {
    return BETTER.contains(session.path().link());
  }
}
