package io.verbena.core.session;

import io.verbena.core.sequence.Outbox;
import java.time.Duration;

/**
 * Counts how long a peer that is alive has acknowledged nothing of what waits for it. Such a peer
 * would keep replies, and their memory, for ever. Time without a link does not count. Nor does a
 * resumed session begin anew, unless the peer has received something. On the loop.
 */
final class AcknowledgementWatch {
  /**
   * Each frame that arrives is acknowledged within 20 ms. A line on which one frame takes longer
   * than this is given up as silent first.
   */
  private static final long LONGEST_NANOS = Duration.ofSeconds(30).toNanos();

  private final Outbox outbox;
  private long acknowledged;
  private long seenNanos;
  private long waitedNanos;

  AcknowledgementWatch(Outbox outbox) {
    this.outbox = outbox;
  }

  /** The peer is another one. */
  void restart() {
    acknowledged = 0;
    waitedNanos = 0;
  }

  /** Counts no time until now: there was no link, or this process was paused. */
  void skip(long now) {
    seenNanos = now;
  }

  /** Counts the time until now, in which there was a link. */
  void look(long now) {
    long received = outbox.acknowledged();
    if (received != acknowledged || outbox.isEmpty()) {
      acknowledged = received;
      waitedNanos = 0;
    } else {
      waitedNanos += now - seenNanos;
    }
    seenNanos = now;
  }

  /**
   * Returns whether the peer has acknowledged nothing for too long.
   *
   * @param mostSilentNanos the time for which a peer may be silent, as one that is stopped
   */
  boolean isOverdue(long mostSilentNanos) {
    return waitedNanos > LONGEST_NANOS + mostSilentNanos;
  }

  /** Returns the counted time, for people. */
  long waitedMillis() {
    return Duration.ofNanos(waitedNanos).toMillis();
  }
}
