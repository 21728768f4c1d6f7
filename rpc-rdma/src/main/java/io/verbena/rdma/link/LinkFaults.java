package io.verbena.rdma.link;

import io.verbena.core.log.ThrottledLog;
import io.verbena.rdma.RdmaCounters;
import io.verbena.rdma.device.RdmaDevice;
import io.verbena.verbs.ext.WcStatus;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Why a link fails, and who is to blame; any of it ends the link. On the loop. */
final class LinkFaults {
  private static final Logger LOG = LoggerFactory.getLogger(LinkFaults.class);
  private static final ThrottledLog LISTENER_FAILED =
      ThrottledLog.of(RdmaLink.class, "listeners of RDMA links that failed");
  private static final ThrottledLog OWNER_FAILED =
      ThrottledLog.of(RdmaBulk.class, "owners of targets that failed");
  private static final ThrottledLog CLOSED =
      ThrottledLog.of(RdmaLink.class, "RDMA links that were closed for a reason");

  private final LinkLife life;
  private final RdmaDevice device;
  private final RdmaCounters counters;
  private final String peerAddress;
  private boolean brokenByPeer;

  LinkFaults(LinkLife life, RdmaDevice device, RdmaCounters counters, String peerAddress) {
    this.life = life;
    this.device = device;
    this.counters = counters;
    this.peerAddress = peerAddress;
  }

  /** Counts once for each link, also while it ends: what is left to read of it is read. */
  void peerBrokeRules(String how) {
    if (!brokenByPeer) {
      brokenByPeer = true;
      CLOSED.warn("The link to {} is closed: {}", peerAddress, how);
      counters.brokeRules();
    }
    life.mute();
    life.fail(how);
  }

  /** This end's device refused what the peer's asked of it. */
  void refusedPeer(boolean ofAccess) {
    peerBrokeRules(
        ofAccess
            ? "the peer's device was refused access to memory: its key, the bounds or the rights do"
                + " not cover what it wrote or read"
            : "the peer's device made a request that is invalid, or too long for its receive");
  }

  /** A receive completed with this status. */
  void receiveFailed(int status) {
    switch (status) {
      case WcStatus.LOC_ACCESS_ERR, WcStatus.REM_ACCESS_ERR -> refusedPeer(true); // rxe: the latter
      case WcStatus.LOC_LEN_ERR, WcStatus.REM_INV_REQ_ERR -> refusedPeer(false);
      default -> requestFailed(status);
    }
  }

  /** A request completed with this status. */
  void requestFailed(int status) {
    pathLost("a request failed: " + WcStatus.describe(status));
  }

  /** Nothing gets through any more; while the link closes that is as good as an answer. */
  void pathLost(String why) {
    if (life.isClosing()) {
      life.drain();
    } else {
      hearTheDevice();
      life.fail(why);
    }
  }

  /** The device may say that the peer's request was the cause: then that is why the link ends. */
  private void hearTheDevice() {
    if (life.isOpen() && !device.isLost()) {
      try {
        device.pollEvents();
      } catch (IOException e) {
        LOG.debug("{} does not say why the link to {} ends", device.name(), peerAddress, e);
      }
    }
  }

  /** What posts something. */
  interface Posting {
    void run() throws IOException;
  }

  /** Posts something; returns whether the link still stands. */
  boolean posts(Posting posting) {
    try {
      posting.run();
      return true;
    } catch (IOException e) {
      postingFailed(e);
      return false;
    }
  }

  /** Something could not be posted. */
  void postingFailed(IOException e) {
    life.fail(String.valueOf(e.getMessage()));
  }

  void listenerFailed(RuntimeException e) {
    LISTENER_FAILED.error(
        "The listener of the link to {} failed; the link is closed", peerAddress, e);
    life.mute();
    life.fail("its listener failed: " + e);
  }

  /** The listener failed when it was told that the link is gone. */
  void listenerFailedAtEnd(RuntimeException e) {
    LISTENER_FAILED.error("The listener of the link to {} failed at its end", peerAddress, e);
  }

  /** Who has opened a target failed when it was told of its end. */
  void targetsOwnerFailed(RuntimeException e) {
    String link = "rdma link to " + peerAddress + " over " + device.name();
    OWNER_FAILED.error("The owner of a target on the {} failed", link, e);
  }

  /** Who wanted the link does not take it. */
  void notTaken(RuntimeException e) {
    LISTENER_FAILED.error("Nobody took the link to {}; it is closed", peerAddress, e);
    life.mute();
    life.fail("its owner failed: " + e);
  }
}
