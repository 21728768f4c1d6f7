package io.verbena.rdma.link;

import io.verbena.core.link.LinkListener;
import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What an open link does each time it is stepped: returns credit, hands over what has arrived, goes
 * on with bulk, tells who was turned back that there is room; and what it does when it has been
 * idle. On the loop.
 */
final class DutyCycle {
  /** Leased credits that were of no use for so long go back; a path without traffic is probed. */
  private static final long IDLE_NANOS = Duration.ofMillis(100).toNanos();

  private final LinkLife life;
  private final LinkFaults faults;
  private final CreditLedger credits;
  private final SendSide sends;
  private final ReceiveSide receives;
  private final RdmaBulk bulk;
  private final int maxFrameBytes;
  private @Nullable LinkListener listener;

  /** Whether a frame was turned back, and its sender not told of room since. */
  private boolean blocked;

  private long postedSeen = -1;
  private long idleSince;

  DutyCycle(
      LinkLife life,
      LinkFaults faults,
      CreditLedger credits,
      SendSide sends,
      ReceiveSide receives,
      RdmaBulk bulk,
      int maxFrameBytes) {
    this.life = life;
    this.faults = faults;
    this.credits = credits;
    this.sends = sends;
    this.receives = receives;
    this.bulk = bulk;
    this.maxFrameBytes = maxFrameBytes;
  }

  /** From now on what arrives is handed to this one. */
  void listener(LinkListener listener) {
    this.listener = listener;
  }

  /** A frame was turned back. */
  void blocked() {
    blocked = true;
    life.watch(); // nothing under way would tell that the path is dead
  }

  /** Does what is due, and returns how much that was. */
  int step() throws IOException {
    // Credit that was owed before this cycle found no Send to go with.
    int work = sends.returnCredit() ? 1 : 0;
    work += deliver();
    if (credits.leased() > 0) {
      life.watch();
    }
    work += stepBulk();
    if (life.isOpen() && hasRoomAgain()) {
      work++;
      tellWritable();
    }
    if (!credits.owesLittle()) {
      life.becomeDue();
    }
    return work;
  }

  /** Hands over what has come before the end, and tells what is over. */
  int stepDraining() throws IOException {
    return deliver() + stepBulk();
  }

  private int deliver() throws IOException {
    LinkListener to = listener;
    if (to == null || !receives.hasArrived()) {
      return 0;
    }
    try {
      return receives.deliver(life, faults, to, maxFrameBytes);
    } catch (RuntimeException e) {
      faults.listenerFailed(e);
      return 1;
    }
  }

  private int stepBulk() throws IOException {
    try {
      return bulk.step();
    } catch (RuntimeException e) {
      faults.listenerFailed(e);
      return 1;
    }
  }

  private boolean hasRoomAgain() {
    boolean bulkHas = bulk.hasRoomAgain();
    if (blocked && sends.hasRoom()) {
      blocked = false;
      return true;
    }
    return bulkHas;
  }

  private void tellWritable() {
    LinkListener to = listener;
    try {
      if (to != null) {
        to.onWritable();
      }
    } catch (RuntimeException e) {
      faults.listenerFailed(e);
    }
  }

  /** Looks what time has made due; returns whether there is more to watch. */
  boolean isWatched(long now) {
    if (!life.isOpen()) {
      return false;
    }
    if (bulk.own().isOverdue(now)) {
      faults.peerBrokeRules("the peer did not leave a target alone in time");
    }
    if (sends.posted() != postedSeen) {
      postedSeen = sends.posted();
      idleSince = now;
    } else if (now - idleSince >= IDLE_NANOS) {
      idle();
    }
    return bulk.own().isRevoking() || credits.leased() > 0 || blocked;
  }

  /** Nothing was posted for a while: what is leased goes back, and who waits probes the path. */
  private void idle() {
    try {
      if (credits.leased() > 0) {
        sends.giveLeaseBack();
      } else if (blocked) {
        sends.probe();
      }
    } catch (IOException e) {
      faults.postingFailed(e);
    }
  }
}
