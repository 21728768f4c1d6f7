package io.verbena.rdma.link;

import io.verbena.link.runtime.NanoClock;
import io.verbena.link.runtime.ThrottledLog;
import io.verbena.rdma.device.QueuePair;
import io.verbena.rdma.device.RdmaDevice;
import io.verbena.rdma.device.Receives;
import java.io.IOException;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How the end of a link's queue pair is made true. Each step has its time: that the peer's device
 * takes the farewell, then that every request on the queue pair completes. What the queue pair may
 * use of this process's memory goes back when it is destroyed, and is kept until it can be. On the
 * loop.
 */
final class QpDrain {
  private static final Logger LOG = LoggerFactory.getLogger(QpDrain.class);
  private static final ThrottledLog UNDESTROYED =
      ThrottledLog.of(QpDrain.class, "queue pairs that could not be destroyed");

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
  private final RdmaDevice device;
  private final QueuePair queuePair;
  private final Receives receives;
  private final SendSide sends;
  private final ReceiveSide arrivals;
  private final RdmaBulk bulk;
  private final Runnable leave;
  private boolean lastSendPosted;
  private boolean lastSendDone;
  private long drainingSince;
  private long deadline;

  /**
   * The end of a link that is not open yet.
   *
   * @param leave gives back the link's places in its domain, and among those who share pins
   */
  QpDrain(
      NanoClock clock,
      String peerAddress,
      RdmaDevice device,
      QueuePair queuePair,
      Receives receives,
      SendSide sends,
      ReceiveSide arrivals,
      RdmaBulk bulk,
      Runnable leave) {
    this.clock = clock;
    this.peerAddress = peerAddress;
    this.device = device;
    this.queuePair = queuePair;
    this.receives = receives;
    this.sends = sends;
    this.arrivals = arrivals;
    this.bulk = bulk;
    this.leave = leave;
  }

  // ---- draining ----

  /** The farewell is on its way. */
  void awaitFarewell() {
    deadline = clock.nanoTime() + FAREWELL_NANOS;
  }

  /** The connection never stood: there is nothing to drain. */
  void skip() {
    lastSendDone = true;
    deadline = clock.nanoTime();
  }

  /**
   * Begins to drain the queue pair; where that cannot be, this is overdue at once. Where a last
   * request would not complete there is none: what was posted is flushed before the receives are.
   */
  void drain() {
    drainingSince = clock.nanoTime();
    deadline = drainingSince + DRAINING_NANOS;
    try {
      queuePair.disconnect();
      lastSendDone = !device.flushesLateRequests();
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
  boolean isDrained(long now) throws IOException {
    if (!lastSendPosted && !lastSendDone && !isOverdue(now)) {
      postLastSend();
    }
    return lastSendDone
        && (receives.isDrained()
            || (receives.drainsByTime() && now - drainingSince >= LAST_RECEIVE_NANOS));
  }

  private void postLastSend() {
    try {
      lastSendPosted = sends.postLast();
    } catch (IOException e) {
      lastSendPosted = true;
      giveUp(e);
    }
  }

  private void giveUp(IOException e) {
    LOG.debug("The queue pair of the link to {} cannot be drained", peerAddress, e);
    deadline = clock.nanoTime();
  }

  /** Returns whether what is waited for has had its time. */
  boolean isOverdue(long now) {
    return now - deadline >= 0;
  }

  // ---- what the queue pair may use ----

  /** Gives back what a link has whose receives could not be posted. */
  void undo() {
    Runnable rest =
        () -> {
          arrivals.release();
          leave.run();
        };
    try {
      queuePair.undo();
      rest.run();
    } catch (IOException e) {
      UNDESTROYED.error(
          "The queue pair of a link over {} that was not opened cannot be destroyed",
          device.name(),
          e);
      device.keep(queuePair, rest);
    }
  }

  /** Gives everything back, whether or not the queue pair is drained. */
  void giveBack() {
    if (destroy()) {
      destroyed();
    } else {
      bulk.end(false);
    }
  }

  /** The device touches none of the link's memory any more. */
  private void destroyed() {
    sends.release();
    arrivals.release();
    bulk.end(true);
  }

  private boolean destroy() {
    try {
      queuePair.destroy();
      return true;
    } catch (IOException e) {
      if (device.isRemoved()) {
        LOG.debug("The queue pair of the link to {} has gone with its device", peerAddress, e);
        return true;
      }
      UNDESTROYED.error("The queue pair of the link to {} cannot be destroyed", peerAddress, e);
      device.keep(queuePair, this::destroyed);
      return false;
    }
  }
}
