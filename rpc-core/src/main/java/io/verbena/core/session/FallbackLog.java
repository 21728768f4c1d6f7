package io.verbena.core.session;

import io.verbena.link.runtime.ThrottledLog;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Logs the reasons why sessions have no better link. Slower calls would go unnoticed at level
 * DEBUG, so the reasons are logged above it. A thousand sessions that try again and again must not
 * fill the log, so each reason is logged once. Safe for use by any thread.
 */
final class FallbackLog {
  private static final ThrottledLog WENT_BACK =
      ThrottledLog.of(FallbackLog.class, "sessions that went back from a better link");
  private static final ThrottledLog STAYED =
      ThrottledLog.of(FallbackLog.class, "attempts at a better link that failed");

  /**
   * The largest number of reasons to remember, because peers could invent new ones without end.
   * Later reasons are only counted.
   */
  private static final int MOST_REASONS = 256;

  private static final Set<String> TOLD = ConcurrentHashMap.newKeySet();

  private FallbackLog() {}

  static void wentBack(String session, String reason) {
    WENT_BACK.warn("{} went back to its first link: {}", session, reason);
  }

  /** Logs that a session could get no better link. Each reason is logged once for all sessions. */
  static void stayed(String session, String reason) {
    if (TOLD.size() < MOST_REASONS && TOLD.add(reason)) {
      STAYED.info("{} stays on its first link: {}", session, reason);
    } else {
      STAYED.again();
    }
  }
}
