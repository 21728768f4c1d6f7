package io.verbena.core;

import io.verbena.core.frame.PeerLimits;
import java.time.Duration;

/**
 * What one end of a session allows and expects. Immutable; start from {@link #DEFAULT}.
 *
 * @param defaultTimeout the deadline of a call whose method and caller set none
 * @param maxCalls calls under way at once, each way; at least 64
 * @param maxMessageBytes the longest request or reply to accept
 * @param maxDepth how deeply records may nest in a message
 * @param maxKeptBytes replies kept for a peer that has not acknowledged them; beyond it new
 *     requests are refused
 * @param pingInterval how long a silent link is trusted before it is asked for a sign of life
 * @param deadAfter how long a link may be silent before it is given up. A peer that pauses, for a
 *     garbage collection or under SIGSTOP, for less than this minus pingInterval keeps its links
 * @param resumeWindow how long a session without a link waits for a new one before it ends
 */
public record SessionLimits(
    Duration defaultTimeout,
    int maxCalls,
    int maxMessageBytes,
    int maxDepth,
    long maxKeptBytes,
    Duration pingInterval,
    Duration deadAfter,
    Duration resumeWindow) {
  /** The defaults. */
  public static final SessionLimits DEFAULT =
      new SessionLimits(
          Duration.ofSeconds(15),
          1024,
          64 << 20,
          256,
          256L << 20,
          Duration.ofSeconds(2),
          Duration.ofSeconds(6),
          Duration.ofSeconds(5));

  /** Checks every value. */
  public SessionLimits {
    require(maxCalls >= PeerLimits.LEAST_CALLS, "maxCalls is at least 64, not " + maxCalls);
    require(maxMessageBytes >= 4096, "maxMessageBytes is at least 4096, not " + maxMessageBytes);
    require(maxDepth >= 8 && maxDepth <= 1024, "maxDepth is 8 to 1024, not " + maxDepth);
    require(!defaultTimeout.isNegative() && !defaultTimeout.isZero(), "defaultTimeout is positive");
    require(pingInterval.toMillis() >= 1, "pingInterval is at least 1 ms");
    require(
        !resumeWindow.isNegative() && resumeWindow.toDays() < 365, "resumeWindow is 0 to a year");
    require(
        deadAfter.compareTo(pingInterval.multipliedBy(2)) >= 0,
        "deadAfter is at least twice pingInterval, so that one lost sign is not taken for death");
  }

  private static void require(boolean holds, String message) {
    if (!holds) {
      throw new IllegalArgumentException(message);
    }
  }

  /** Returns these limits with another default deadline. */
  public SessionLimits withDefaultTimeout(Duration value) {
    return new SessionLimits(
        value,
        maxCalls,
        maxMessageBytes,
        maxDepth,
        maxKeptBytes,
        pingInterval,
        deadAfter,
        resumeWindow);
  }

  /** Returns these limits with another number of calls under way. */
  public SessionLimits withMaxCalls(int value) {
    return new SessionLimits(
        defaultTimeout,
        value,
        maxMessageBytes,
        maxDepth,
        maxKeptBytes,
        pingInterval,
        deadAfter,
        resumeWindow);
  }

  /** Returns these limits with another longest message. */
  public SessionLimits withMaxMessageBytes(int value) {
    return new SessionLimits(
        defaultTimeout,
        maxCalls,
        value,
        maxDepth,
        maxKeptBytes,
        pingInterval,
        deadAfter,
        resumeWindow);
  }

  /** Returns these limits with other bounds on a silent link. */
  public SessionLimits withKeepalive(Duration ping, Duration dead) {
    return new SessionLimits(
        defaultTimeout,
        maxCalls,
        maxMessageBytes,
        maxDepth,
        maxKeptBytes,
        ping,
        dead,
        resumeWindow);
  }

  /** Returns these limits with another window for resuming. */
  public SessionLimits withResumeWindow(Duration value) {
    return new SessionLimits(
        defaultTimeout,
        maxCalls,
        maxMessageBytes,
        maxDepth,
        maxKeptBytes,
        pingInterval,
        deadAfter,
        value);
  }
}
