package io.verbena.core.session;

import io.verbena.link.LinkException;
import io.verbena.link.LinkOptions;
import io.verbena.link.runtime.NanoClock;
import java.time.Duration;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/**
 * The times of a client's attempts to get a link: their total time, the limit of each, and the
 * delays between them. It only calculates, by the loop's clock. On the loop.
 */
final class AttemptTimes {
  private static final long MILLI = 1_000_000;
  private static final long FIRST_DELAY_NANOS = 10_000_000;
  private static final long LONGEST_DELAY_NANOS = 1_000_000_000;
  private static final int RESUME_ATTEMPTS = 5;

  /**
   * After this time a link has proved itself. A greeting alone proves little, because a server may
   * greet and then break the protocol each time.
   */
  private static final long LASTING_NANOS = LONGEST_DELAY_NANOS;

  /**
   * After so many connections that were lost as soon as they were made, another would be lost, too.
   */
  private static final int MOST_LOST_GREETINGS = 3;

  /**
   * If a port refuses connections for this part of the resume window, its process is gone, and the
   * session with it. A proxy that reloads its configuration may refuse connections for a shorter
   * time.
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

  /** The time since which there is a link; {@link #NEVER} once its loss was recorded. */
  private long linkedSince = NEVER;

  /** The delay after the last loss of a link that did not last. */
  private long lossDelayNanos;

  /**
   * Makes the times for attempts that have not begun.
   *
   * @param now returns the time in nanoseconds, by a clock with an arbitrary zero
   * @param link the options of each link, with the longest time of any attempt
   * @param resumeWindow the time for which a session without a link may be resumed
   * @param random for the delays
   */
  AttemptTimes(LongSupplier now, LinkOptions link, Duration resumeWindow, RandomGenerator random) {
    this.now = now;
    this.link = link;
    this.resumeWindow = resumeWindow;
    this.random = random;
  }

  // ---- one attempt ----

  /** Gives attempts from now on the full time for opening a session. */
  void beginOpening() {
    openUntil = now.getAsLong() + NanoClock.nanos(link.connectTimeout());
    lostGreetings = 0;
  }

  void attemptBegins() {
    attemptSince = now.getAsLong();
  }

  long attemptMillis() {
    return (now.getAsLong() - attemptSince) / MILLI;
  }

  /** Returns the longest wait for a token. */
  Duration tokenLimit(boolean resuming) {
    return (resuming ? resumeOptions() : openingOptions()).connectTimeout();
  }

  /** Returns options for a link with the time limit of the attempt. */
  LinkOptions linkOptions(boolean resuming) {
    return resuming || isRepeating() ? resumeOptions() : openingOptions();
  }

  /**
   * Returns the time limit of a handshake. A server that accepts connections and then stays silent
   * must not delay opening or resuming.
   */
  Duration handshakeLimit(boolean resuming) {
    long left = resuming ? repeatUntil - now.getAsLong() : openingLeft();
    return within(Duration.ofNanos(Math.max(MILLI, left))).connectTimeout();
  }

  /**
   * Returns the reason of the failure if the server does not answer a greeting that is sent now.
   *
   * @param limit the time limit of the handshake
   */
  String silence(boolean resuming, Duration limit) {
    if (resuming && limit.compareTo(link.connectTimeout()) < 0) {
      return "did not resume the session before the end of the resume window of %d ms: check whether the server is held up, or allow more time by resumeWindow"
          .formatted(resumeWindow.toMillis());
    }
    String within =
        "did not answer within the limit of " + link.connectTimeout().toMillis() + " ms";
    return isShort(limit)
        ? within
            + ", of which %d ms were left when the connection was open. Connecting took the rest, as it does in a process that has just started; allow more time by connectTimeout"
                .formatted(openingLeft() / MILLI)
        : within
            + ": it may not be a Verbena server, or it is held up. Check the address, or allow more time by connectTimeout";
  }

  /**
   * Returns a note for a link that failed because earlier steps of opening the session had used up
   * its time; empty if they had not.
   */
  String shortage(boolean resuming, LinkOptions options) {
    boolean over = !resuming && !isRepeating() && openingLeft() < MILLI;
    return over && isShort(options.connectTimeout())
        ? " (earlier steps had left %d ms of the limit of %d ms; allow more time by connectTimeout)"
            .formatted(options.connectTimeout().toMillis(), link.connectTimeout().toMillis())
        : "";
  }

  /** Returns whether the smaller part of the time for opening a session is left. */
  private boolean isShort(Duration limit) {
    return limit.multipliedBy(2).compareTo(link.connectTimeout()) < 0;
  }

  private long openingLeft() {
    return Math.max(0, openUntil - now.getAsLong());
  }

  private LinkOptions openingOptions() {
    return within(Duration.ofNanos(Math.max(MILLI, openingLeft())));
  }

  /** An attempt without an answer must leave time for other attempts within the resume window. */
  private LinkOptions resumeOptions() {
    return within(resumeWindow.dividedBy(RESUME_ATTEMPTS));
  }

  private LinkOptions within(Duration limit) {
    Duration timeout = limit.compareTo(link.connectTimeout()) < 0 ? limit : link.connectTimeout();
    return link.withConnectTimeout(timeout);
  }

  // ---- between attempts ----

  /**
   * Returns the delay before the attempt that follows a failed one. It doubles each time, and a
   * random part of up to half is taken off, so that the clients of a lost server do not all return
   * at once.
   */
  long lengthenDelay() {
    delayNanos = longerThan(delayNanos);
    return varied(delayNanos);
  }

  private static long longerThan(long delay) {
    return Math.clamp(delay * 2, FIRST_DELAY_NANOS, LONGEST_DELAY_NANOS);
  }

  private long varied(long delay) {
    return delay - random.nextLong(delay / 2 + 1);
  }

  /**
   * Records a connection that was lost before it had a session. Returns whether to make another.
   */
  boolean mayGreetAgain() {
    return ++lostGreetings <= MOST_LOST_GREETINGS
        && now.getAsLong() + longerThan(delayNanos) - openUntil < 0;
  }

  /**
   * Records a failed attempt to get a link. Returns whether the server's process is certainly gone.
   */
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

  /**
   * Records the loss of a link, or of its session. Returns the delay before the next attempt: 0
   * after a link that lasted, and longer after each one that did not.
   */
  long delayAfterLoss() {
    if (linkedSince == NEVER) {
      return 0; // recorded before
    }
    long delay = isNew() ? lossDelayNanos : 0;
    linkedSince = NEVER;
    lossDelayNanos = longerThan(delay);
    return delay == 0 ? 0 : varied(delay);
  }

  /** Returns the time since there is a link again. */
  long linkedMillis() {
    return (now.getAsLong() - linkedSince) / MILLI;
  }

  /** Returns whether there is a link that has not proved itself yet. */
  boolean isNew() {
    return linkedSince != NEVER && now.getAsLong() - linkedSince < LASTING_NANOS;
  }

  // ---- the resume window ----

  /** Repeats failed attempts from now on until the resume window is over. */
  void repeat() {
    repeating = true;
    repeatUntil = now.getAsLong() + NanoClock.nanos(resumeWindow);
  }

  /** Returns whether a resume window has begun and no link was made in it yet. */
  boolean hasBegunToRepeat() {
    return repeating;
  }

  boolean isRepeating() {
    return repeating && now.getAsLong() - repeatUntil < 0;
  }

  /** Records that there is a link again, because the server answers. */
  void linked() {
    linkedSince = now.getAsLong();
    delayNanos = 0;
    repeating = false;
    nobodyListensSince = NEVER;
  }

  /** Ends the repetition, because there is nothing to resume. */
  void stopRepeating() {
    repeating = false;
  }
}
