package io.verbena.core;

import io.verbena.api.settings.Checks;
import io.verbena.core.frame.PeerLimits;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The limits of one end of a session. Immutable; start from {@link #DEFAULT}. */
public final class SessionLimits {
  private static final Duration LEAST_PING = Duration.ofMillis(1);
  private static final Duration MINUTE = Duration.ofMillis(PeerLimits.MOST_PING_MILLIS);
  private static final Duration YEAR = Duration.ofDays(365);

  /** The defaults. */
  public static final SessionLimits DEFAULT =
      new SessionLimits(
          new Values(
              Duration.ofSeconds(15),
              1024,
              64 << 20,
              256,
              256L << 20,
              Duration.ofSeconds(2),
              Duration.ofSeconds(6),
              Duration.ofMillis(100),
              Duration.ofSeconds(5)));

  private final Values values;

  private record Values(
      Duration defaultTimeout,
      int maxCalls,
      int maxMessageBytes,
      int maxDepth,
      long maxKeptBytes,
      Duration pingInterval,
      Duration deadAfter,
      Duration leastPingInterval,
      Duration resumeWindow) {
    private Values {
      Checks.positive("defaultTimeout", defaultTimeout);
      Checks.between("maxCalls", maxCalls, PeerLimits.LEAST_CALLS, Integer.MAX_VALUE);
      Checks.between("maxMessageBytes", maxMessageBytes, 4096, Integer.MAX_VALUE);
      Checks.between("maxDepth", maxDepth, 8, 1024);
      Checks.between("maxKeptBytes", maxKeptBytes, 0, Long.MAX_VALUE);
      Checks.atLeast("pingInterval", pingInterval, LEAST_PING, "1 ms");
      Checks.between(
          "leastPingInterval", leastPingInterval, Duration.ZERO, MINUTE, "0 to a minute");
      Checks.between("resumeWindow", resumeWindow, Duration.ZERO, YEAR, "0 to 365 days");
      // One lost sign of life must not end a link. The division avoids an overflow.
      Checks.that(
          Checks.required("deadAfter", deadAfter).dividedBy(2).compareTo(pingInterval) >= 0,
          "deadAfter",
          "at least twice pingInterval, which is " + pingInterval,
          deadAfter);
    }
  }

  private SessionLimits(Values values) {
    this.values = values;
  }

  /** Returns the deadline of a call whose method and caller set none; longer than 0. */
  public Duration defaultTimeout() {
    return values.defaultTimeout;
  }

  /** Returns the largest number of calls in flight in each direction; at least 64. */
  public int maxCalls() {
    return values.maxCalls;
  }

  /** Returns the length of the longest request or reply to accept; at least 4096. */
  public int maxMessageBytes() {
    return values.maxMessageBytes;
  }

  /** Returns the deepest nesting of records in a message; 8 to 1024. */
  public int maxDepth() {
    return values.maxDepth;
  }

  /**
   * Returns the bytes of replies that are kept until the peer has acknowledged them. Beyond it the
   * peer's further calls wait. At least 0, which allows one reply at a time.
   */
  public long maxKeptBytes() {
    return values.maxKeptBytes;
  }

  /** Returns the time after which a silent link is asked for a sign of life; at least 1 ms. */
  public Duration pingInterval() {
    return values.pingInterval;
  }

  /**
   * Returns the time after which a silent link is given up; at least twice pingInterval. A peer
   * keeps its links if it pauses, for a garbage collection or under SIGSTOP, for less than
   * deadAfter minus pingInterval.
   */
  public Duration deadAfter() {
    return values.deadAfter;
  }

  /**
   * Returns the shortest interval at which the peer may ask this end for a sign of life. The peer
   * learns it when a session opens. If its own pingInterval is shorter, it uses this one, and gives
   * a link up after at least twice this time. 0 to a minute, in whole milliseconds.
   */
  public Duration leastPingInterval() {
    return values.leastPingInterval;
  }

  /**
   * Returns the time for which a session without a link waits for a new one before it ends; 0 to
   * 365 days.
   */
  public Duration resumeWindow() {
    return values.resumeWindow;
  }

  /** Returns these limits with another default deadline. */
  public SessionLimits withDefaultTimeout(Duration value) {
    return with(
        value, values.maxCalls, values.maxMessageBytes, values.maxDepth, values.maxKeptBytes);
  }

  /** Returns these limits with another number of calls in flight. */
  public SessionLimits withMaxCalls(int value) {
    return with(
        values.defaultTimeout, value, values.maxMessageBytes, values.maxDepth, values.maxKeptBytes);
  }

  /** Returns these limits with another longest message. */
  public SessionLimits withMaxMessageBytes(int value) {
    return with(
        values.defaultTimeout, values.maxCalls, value, values.maxDepth, values.maxKeptBytes);
  }

  /** Returns these limits with another depth of records in a message. */
  public SessionLimits withMaxDepth(int value) {
    return with(
        values.defaultTimeout, values.maxCalls, values.maxMessageBytes, value, values.maxKeptBytes);
  }

  /** Returns these limits with another bound on kept replies. */
  public SessionLimits withMaxKeptBytes(long value) {
    return with(
        values.defaultTimeout, values.maxCalls, values.maxMessageBytes, values.maxDepth, value);
  }

  /** Returns these limits with other times for a silent link. */
  public SessionLimits withKeepalive(Duration ping, Duration dead) {
    return withTimes(ping, dead, values.leastPingInterval, values.resumeWindow);
  }

  /** Returns these limits with another shortest interval of the peer's pings. */
  public SessionLimits withLeastPingInterval(Duration value) {
    return withTimes(values.pingInterval, values.deadAfter, value, values.resumeWindow);
  }

  /** Returns these limits with another resume window. */
  public SessionLimits withResumeWindow(Duration value) {
    return withTimes(values.pingInterval, values.deadAfter, values.leastPingInterval, value);
  }

  private SessionLimits with(Duration timeout, int calls, int message, int depth, long kept) {
    return new SessionLimits(
        new Values(
            timeout,
            calls,
            message,
            depth,
            kept,
            values.pingInterval,
            values.deadAfter,
            values.leastPingInterval,
            values.resumeWindow));
  }

  private SessionLimits withTimes(
      Duration ping, Duration dead, Duration leastPing, Duration resume) {
    return new SessionLimits(
        new Values(
            values.defaultTimeout,
            values.maxCalls,
            values.maxMessageBytes,
            values.maxDepth,
            values.maxKeptBytes,
            ping,
            dead,
            leastPing,
            resume));
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof SessionLimits it && values.equals(it.values);
  }

  @Override
  public int hashCode() {
    return values.hashCode();
  }

  /** Returns the name and value of each option. */
  @Override
  public String toString() {
    return values.toString().replaceFirst("Values", "SessionLimits");
  }
}
