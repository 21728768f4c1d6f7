package io.verbena.core.session;

import io.verbena.link.LinkException;
import io.verbena.link.LinkOptions;
import io.verbena.link.runtime.NanoClock;
import java.time.Duration;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/**
 * How long a client tries to get a link, how long each attempt may take, and how long it waits
 * between them. Arithmetic on the loop's clock alone. On the loop.
 */
final class AttemptTimes {
  private static final long MILLI = 1_000_000;
  private static final long FIRST_DELAY_NANOS = 10_000_000;
  private static final long LONGEST_DELAY_NANOS = 1_000_000_000;
  private static final int RESUME_ATTEMPTS = 5;

  /** Where each connection is lost as soon as it is made, no better one is to be expected. */
  private static final int MOST_LOST_GREETINGS = 3;

  /**
   * A port that says for so long a part of the resume window that nobody listens has lost its
   * process, and with it the session. What stands between, such as a proxy that reads its
   * configuration again, may be away for shorter.
   */
  private static final int GONE_PART = 10;

  private static final long NEVER = Long.MIN_VALUE;

  private final LongSupplier now;
  private final LinkOptions link;
  private final Duration resumeWindow;
  private final RandomGenerator random;
  private long attemptSince;
  private long openUntil;
  private long delayNanos;
  private int lostGreetings;
  private boolean repeating;
  private long repeatUntil;
  private long nobodyListensSince = NEVER;

  /**
   * Times for attempts none of which has begun.
   *
   * @param now the time in nanoseconds, by a clock whose zero means nothing
   * @param link of each link, whose time limit is the longest that any attempt may have
   * @param resumeWindow how long a session without a link may be resumed
   * @param random for the delays
   */
  AttemptTimes(LongSupplier now, LinkOptions link, Duration resumeWindow, RandomGenerator random) {
    this.now = now;
    this.link = link;
    this.resumeWindow = resumeWindow;
    this.random = random;
  }

  // ---- one attempt ----

  /** Attempts from now on have all the time to open a session that there is. */
  void beginOpening() {
    openUntil = now.getAsLong() + NanoClock.nanos(link.connectTimeout());
    lostGreetings = 0;
  }

  void attemptBegins() {
    attemptSince = now.getAsLong();
  }

  /** Returns how long the attempt under way has taken. */
  long attemptMillis() {
    return (now.getAsLong() - attemptSince) / MILLI;
  }

  /** Returns how long a token may be waited for. */
  Duration tokenLimit(boolean resuming) {
    return (resuming ? resumeOptions() : openingOptions()).connectTimeout();
  }

  /** Returns options for a link, which bound the time to make it. */
  LinkOptions linkOptions(boolean resuming) {
    return resuming || isRepeating() ? resumeOptions() : openingOptions();
  }

  /** A server that takes connections and says nothing lengthens neither opening nor resuming. */
  Duration handshakeLimit(boolean resuming) {
    long left = (resuming ? repeatUntil : openUntil) - now.getAsLong();
    return within(Duration.ofNanos(Math.max(MILLI, left))).connectTimeout();
  }

  private LinkOptions openingOptions() {
    return within(Duration.ofNanos(Math.max(MILLI, openUntil - now.getAsLong())));
  }

  /** An attempt that goes unanswered must leave time for others within the resume window. */
  private LinkOptions resumeOptions() {
    return within(resumeWindow.dividedBy(RESUME_ATTEMPTS));
  }

  private LinkOptions within(Duration limit) {
    Duration timeout = limit.compareTo(link.connectTimeout()) < 0 ? limit : link.connectTimeout();
    return link.within(timeout);
  }

  // ---- between attempts ----

  /**
   * Returns how long to wait for the next attempt: each time twice as long, and of that between
   * half and the whole, so that those who lost one server do not all come back at once.
   */
  long lengthenDelay() {
    delayNanos = nextDelay();
    return delayNanos - random.nextLong(delayNanos / 2 + 1);
  }

  private long nextDelay() {
    return Math.clamp(delayNanos * 2, FIRST_DELAY_NANOS, LONGEST_DELAY_NANOS);
  }

  /** A connection was lost before it had a session; returns whether to make another. */
  boolean mayGreetAgain() {
    return ++lostGreetings <= MOST_LOST_GREETINGS && now.getAsLong() + nextDelay() - openUntil < 0;
  }

  /** A link was not to be had; returns whether the server's process is surely gone. */
  boolean isGone(LinkException failure) {
    if (!failure.nobodyListens()) {
      nobodyListensSince = NEVER;
      return false;
    }
    if (nobodyListensSince == NEVER) {
      nobodyListensSince = now.getAsLong();
    }
    return now.getAsLong() - nobodyListensSince >= NanoClock.nanos(resumeWindow) / GONE_PART;
  }

  /** The server answers: the next attempt comes at once. */
  void answered() {
    delayNanos = 0;
  }

  // ---- the resume window ----

  /** From now on failed attempts are repeated until the resume window is over. */
  void repeat() {
    repeating = true;
    repeatUntil = now.getAsLong() + NanoClock.nanos(resumeWindow);
  }

  /** Returns whether a window was begun, and nothing has come of it yet. */
  boolean hasBegunToRepeat() {
    return repeating;
  }

  boolean isRepeating() {
    return repeating && now.getAsLong() - repeatUntil < 0;
  }

  /** There is a link again. */
  void linked() {
    repeating = false;
    nobodyListensSince = NEVER;
  }

  /** Nothing is to be resumed. */
  void stopRepeating() {
    repeating = false;
  }
}
