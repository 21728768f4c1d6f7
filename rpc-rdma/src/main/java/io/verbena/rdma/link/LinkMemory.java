package io.verbena.rdma.link;

import io.verbena.core.log.ThrottledLog;
import io.verbena.rdma.device.QueuePair;
import io.verbena.rdma.device.RdmaDevice;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a link's queue pair may use of this process's memory. It goes back when the queue pair is
 * destroyed, and is kept until it can be. On the loop.
 */
final class LinkMemory {
  private static final Logger LOG = LoggerFactory.getLogger(LinkMemory.class);
  private static final ThrottledLog UNDESTROYED =
      ThrottledLog.of(RdmaLink.class, "queue pairs that could not be destroyed");

  private final RdmaDevice device;
  private final Runnable leave;
  private final QueuePair queuePair;
  private final SendSide sends;
  private final ReceiveSide receives;
  private final RdmaBulk bulk;
  private final String peerAddress;

  /**
   * The memory of a link that is not open yet.
   *
   * @param leave gives back the link's places in its domain, and among those who share pins
   */
  LinkMemory(
      RdmaDevice device,
      Runnable leave,
      QueuePair queuePair,
      SendSide sends,
      ReceiveSide receives,
      RdmaBulk bulk,
      String peerAddress) {
    this.device = device;
    this.leave = leave;
    this.queuePair = queuePair;
    this.sends = sends;
    this.receives = receives;
    this.bulk = bulk;
    this.peerAddress = peerAddress;
  }

  /** Gives back what a link has whose receives could not be posted. */
  void undo() {
    Runnable rest =
        () -> {
          receives.release();
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
    receives.release();
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
