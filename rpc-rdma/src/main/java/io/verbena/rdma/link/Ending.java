package io.verbena.rdma.link;

import io.verbena.core.NanoClock;
import io.verbena.rdma.device.QueuePair;
import java.io.IOException;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a link waits for at its end, each for a time: that the peer's device has taken the farewell,
 * then that every request on the queue pair has completed.
 */
final class Ending {
  private static final Logger LOG = LoggerFactory.getLogger(Ending.class);

  /** A peer whose device does not take the farewell is not waited for. */
  private static final long FAREWELL_NANOS = Duration.ofSeconds(5).toNanos();

  /**
   * Flushing takes a device microseconds, an emulated one with a hundred links a second. One that
   * never ends it has its queue pair destroyed.
   */
  private static final long DRAINING_NANOS = Duration.ofSeconds(3).toNanos();

  /** A device that does not say when it takes no more shared receives has taken them by then. */
  private static final long LAST_RECEIVE_NANOS = Duration.ofMillis(50).toNanos();

  private final NanoClock clock;
  private final String peerAddress;
  private final QueuePair queuePair;
  private final SendQueue sends;
  private final ReceiveSide receives;
  private boolean lastSendPosted;
  private boolean lastSendDone;
  private long drainingSince;
  private long deadline;

  Ending(
      NanoClock clock,
      String peerAddress,
      QueuePair queuePair,
      SendQueue sends,
      ReceiveSide receives) {
    this.clock = clock;
    this.peerAddress = peerAddress;
    this.queuePair = queuePair;
    this.sends = sends;
    this.receives = receives;
  }

  /** The farewell is on its way. */
  void awaitFarewell() {
    deadline = clock.nanoTime() + FAREWELL_NANOS;
  }

  /** The connection never stood: there is nothing to drain. */
  void skip() {
    lastSendDone = true;
    deadline = clock.nanoTime();
  }

  /** Begins to drain the queue pair; where that cannot be, this is overdue at once. */
  void drain() {
    drainingSince = clock.nanoTime();
    deadline = drainingSince + DRAINING_NANOS;
    try {
      queuePair.disconnect();
    } catch (IOException e) {
      giveUp(e);
    }
  }

  /** The last request of the send queue has completed, and so all of them. */
  void lastSendCompleted() {
    lastSendDone = true;
  }

  boolean isAllSent() {
    return lastSendDone;
  }

  /** Returns whether a drain that is not done by itself is done in time. */
  boolean drainsByTime() {
    return receives.drainsByTime();
  }

  /** Goes on draining, and returns whether every request has completed. */
  boolean isDrained() throws IOException {
    if (!lastSendPosted && !lastSendDone && !isOverdue(clock.nanoTime())) {
      postLastSend();
    }
    return lastSendDone && receivesAreDrained();
  }

  private void postLastSend() {
    try {
      lastSendPosted = sends.postLast();
    } catch (IOException e) {
      lastSendPosted = true;
      giveUp(e);
    }
  }

  private boolean receivesAreDrained() throws IOException {
    long waited = clock.nanoTime() - drainingSince;
    return receives.isDrained() || (receives.drainsByTime() && waited >= LAST_RECEIVE_NANOS);
  }

  private void giveUp(IOException e) {
    LOG.debug("The queue pair of the link to {} cannot be drained", peerAddress, e);
    deadline = clock.nanoTime();
  }

  /** Returns whether what is waited for has had its time. */
  boolean isOverdue(long now) {
    return now - deadline >= 0;
  }
}
