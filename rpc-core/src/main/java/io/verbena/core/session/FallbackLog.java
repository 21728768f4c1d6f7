package io.verbena.core.session;

import io.verbena.link.runtime.ThrottledLog;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Says in the log why sessions do without a better link. That calls are slower than they might be
 * is seen by nobody who does not ask, so it is not left to level DEBUG; nor may a thousand sessions
 * that try again and again fill the log with it. Safe for use by any thread.
 */
final class FallbackLog {
  private static final ThrottledLog WENT_BACK =
      ThrottledLog.of(FallbackLog.class, "sessions that went back from a better link");
  private static final ThrottledLog STAYED =
      ThrottledLog.of(FallbackLog.class, "attempts at a better link that failed");

  /** Peers could make up reasons without end: what comes after these is counted alone. */
  private static final int MOST_REASONS = 256;

  private static final Set<String> TOLD = ConcurrentHashMap.newKeySet();

  private FallbackLog() {}

  /** A session had a better link. */
  static void wentBack(String session, String reason) {
    WENT_BACK.warn("{} went back to its first link: {}", session, reason);
  }

  /** A session could have no better link. Each reason is told once, of whichever session. */
  static void stayed(String session, String reason) {
    if (TOLD.size() < MOST_REASONS && TOLD.add(reason)) {
      STAYED.info("{} stays on its first link: {}", session, reason);
    } else {
      STAYED.again();
    }
  }
}
