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
 * Ends a link's queue pair, in steps with time limits. First the peer's device takes the farewell.
 * Then every request on the queue pair completes. Memory of this process that the queue pair may
 * use is returned when it is destroyed, and is kept until it can be. On the loop.
 */
final class QpDrain {
  private static final Logger LOG = LoggerFactory.getLogger(QpDrain.class);
  private static final ThrottledLog UNDESTROYED =
      ThrottledLog.of(QpDrain.class, "queue pairs that could not be destroyed");

  /** The time for a peer's device to take the farewell. */
  private static final long FAREWELL_NANOS = Duration.ofSeconds(5).toNanos();

  /**
   * A device flushes in microseconds, an emulated one with a hundred links in a second. One that
   * has flushed nothing of any link for so long has stopped, and the queue pair is destroyed.
   */
  private static final long STILL_NANOS = Duration.ofSeconds(3).toNanos();

  /** The limit for a device that goes on: on a busy machine an emulated one takes seconds. */
  private static final long DRAINING_NANOS = Duration.ofSeconds(30).toNanos();

  /**
   * A device that does not report its last shared receive has taken it by then. One that refuses
   * requests in ERR has flushed its receives by then, if it does that at all.
   */
  private static final long LAST_RECEIVE_NANOS = Duration.ofMillis(50).toNanos();

  /**
   * A device that drops requests in ERR never reports a receive that was posted when the peer had
   * ended the connection already. If it has flushed nothing for so long, only such ones are left.
   */
  private static final long DROPPED_NANOS = Duration.ofMillis(500).toNanos();

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

  /** The device takes no request in ERR, so none proves that all before it have completed. */
  private boolean refused;

  /** The device is flushing, as far as is known. */
  private boolean draining;

  private long flushesSeen;
  private long drainingSince;

  /** When the device was last seen to flush. */
  private long flushedAt;

  private long deadline;

  /**
   * Makes the end of a link that is not open yet.
   *
   * @param leave returns the link's places in its domain and in the quota of pins
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

  /** The connection was never made or accepted, so there is nothing to drain. */
  void skip() {
    lastSendDone = true;
    deadline = clock.nanoTime();
  }

  /**
   * Begins to drain the queue pair. If that fails, it is overdue at once. If a last request would
   * not complete, none is posted: posted requests are flushed before the receives.
   */
  void drain() {
    drainingSince = clock.nanoTime();
    flushedAt = drainingSince;
    deadline = drainingSince + STILL_NANOS;
    draining = true;
    flushesSeen = device.flushes();
    try {
      queuePair.disconnect();
      lastSendDone = !device.flushesLateRequests();
    } catch (IOException e) {
      giveUp(e);
    }
  }

  /** The last request of the send queue has completed, so all have. */
  void lastSendCompleted() {
    lastSendDone = true;
  }

  boolean isAllSent() {
    return lastSendDone;
  }

  /** Returns whether the drain ends by time if it does not end by itself. */
  boolean drainsByTime() {
    return refused || receives.drainsByTime();
  }

  /** Continues to drain; returns whether every request has completed. */
  boolean isDrained(long now) throws IOException {
    if (!lastSendPosted && !lastSendDone && !isOverdue(now)) {
      postLastSend();
    }
    lookAtFlushes(now);
    return lastSendDone
        && (receives.isDrained()
            || (drainsByTime() && now - drainingSince >= LAST_RECEIVE_NANOS)
            || (!device.flushesLateRequests() && now - flushedAt >= DROPPED_NANOS));
  }

  /**
   * Posts the request whose completion shows that all others have completed. Some devices refuse it
   * (erdma and ocrdma of rdma-core 691953d8d, mana). Then the destruction of the queue pair, after
   * which no device touches memory, is the only proof, and nothing else can be waited for.
   */
  private void postLastSend() {
    try {
      lastSendPosted = sends.postLast();
    } catch (IOException e) {
      LOG.debug("{} takes no request in ERR: {}", device.name(), e.getMessage());
      lastSendPosted = true;
      lastSendDone = true;
      refused = true;
    }
  }

  private void giveUp(IOException e) {
    LOG.debug("The queue pair of the link to {} cannot be drained", peerAddress, e);
    draining = false;
    deadline = clock.nanoTime();
  }

  /** Returns whether the present step has exceeded its time, which a device's progress prolongs. */
  boolean isOverdue(long now) {
    lookAtFlushes(now);
    return now - deadline >= 0;
  }

  private void lookAtFlushes(long now) {
    if (draining && device.flushes() != flushesSeen) {
      flushesSeen = device.flushes();
      flushedAt = now;
      deadline = Math.min(now + STILL_NANOS, drainingSince + DRAINING_NANOS);
    }
  }

  // ---- memory that the queue pair may use ----

  /** Returns everything of a link whose receives could not be posted. */
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

  /** Returns everything, whether or not the queue pair is drained. */
  void giveBack() {
    if (destroy()) {
      destroyed();
    } else {
      bulk.end(false);
    }
  }

  /** The device does not touch the link's memory any more. */
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
