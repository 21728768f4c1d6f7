package io.verbena.rdma.link;

import io.verbena.core.link.LinkListener;
import io.verbena.rdma.RdmaSettings;
import io.verbena.rdma.device.QueuePair;
import io.verbena.rdma.device.RegisteredPool;
import io.verbena.rdma.wire.BulkNote;
import io.verbena.rdma.wire.Immediate;
import io.verbena.rdma.wire.SendHeader;
import io.verbena.rdma.wire.Terms;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The receiving half of a link: posted slots, and slots that have arrived.
 *
 * <pre>
 *   posted ─completion─→ arrived ─every frame handed over─→ posted again, credit owed ─any Send─→
 *     ↑ promised to the peer                                                            promised
 * </pre>
 *
 * <p>While frames are not wanted, arrived slots stay and no credit goes back: the peer runs dry
 * after as many Sends as there are credits, which bounds the memory.
 */
final class ReceiveSide {
  private static final Logger LOG = LoggerFactory.getLogger(ReceiveSide.class);

  private final Receives receives;
  private final CreditLedger credits;
  private final RegisteredPool pool;
  private final int features;
  private final int most;
  private final Arrivals arrivals;

  /** Where the next frame begins within the first slot that has arrived; 0 before its first. */
  private int position;

  ReceiveSide(Receives receives, CreditLedger credits, RdmaSettings settings, int features) {
    this.receives = receives;
    this.credits = credits;
    this.pool = receives.pool();
    this.features = features;
    this.most = settings.credits();
    this.arrivals = new Arrivals(depth(settings));
  }

  static int depth(RdmaSettings settings) {
    return settings.credits() + SendHeader.CONTROL_CREDITS;
  }

  /** Claims and posts receives, before a peer can send. */
  void post(QueuePair queuePair) throws IOException {
    receives.open(queuePair);
  }

  /** Returns what the peer is told when it connects. */
  Terms terms() {
    return new Terms(
        receives.guaranteed(), most, SendHeader.CONTROL_CREDITS, pool.slotBytes(), features);
  }

  /** What is posted from here on can be promised. */
  private void flush(boolean open) throws IOException {
    receives.flush(open);
    credits.posted();
  }

  /** A Send with frames is about to go, and takes along what credit is owed. */
  void beforeSend() throws IOException {
    if (credits.isWorthPostingBeforeSend()) {
      flush(true);
    }
    credits.framesGo();
  }

  /** A peer that has used up what it has may have more, where receives are leased. */
  private void leaseMore() throws IOException {
    int more = credits.mayLease();
    if (more > 0) {
      credits.lease(receives.lease(more));
    }
  }

  /**
   * A Send has arrived: takes its credit and keeps its frames for {@link #deliver}. A message
   * without frames is done with at once, and its receive owed back to the peer. Of one that only
   * returns credit this is needed: whatever is sent with the credit it brought returns its own, on
   * which {@link SendHeader} relies.
   *
   * @return what rule the peer has broken, or null
   */
  @Nullable String arrived(LinkLife life, int slot, int length, RdmaBulk bulk) throws IOException {
    receives.taken();
    if (length < SendHeader.BYTES) {
      receives.post(slot, false, false);
      return "the peer sent " + length + " bytes, which is no message";
    }
    ByteBuffer from = pool.buffer(slot);
    int at = pool.offset(slot);
    int header = SendHeader.read(from, at);
    byte kind = SendHeader.kind(header);
    String wrong = takePromise(kind, length);
    if (wrong == null) {
      wrong = credits.credited(SendHeader.controlCredits(header), SendHeader.frameCredits(header));
    }
    if (wrong != null) {
      receives.post(slot, false, false);
      return wrong;
    }
    if (SendHeader.wantsMore(header)) {
      leaseMore();
    }
    switch (kind) {
      case SendHeader.CREDIT -> doneWithControl(life, slot);
      case SendHeader.ARRIVED -> {
        return landed(slot, BulkNote.target(from, at), BulkNote.arrived(from, at), bulk);
      }
      case SendHeader.GIVE_BACK -> {
        int leased = BulkNote.target(from, at);
        doneWithNote(life, slot);
        return takeBack(leased);
      }
      case SendHeader.REVOKE, SendHeader.REVOKED -> {
        int target = BulkNote.target(from, at);
        doneWithNote(life, slot);
        return kind == SendHeader.REVOKE ? bulk.revoke(target) : bulk.own().revoked(target);
      }
      case SendHeader.FAREWELL -> arrivals.addFarewell(slot);
      default -> arrivals.addFrames(slot, length);
    }
    return null;
  }

  /** Posts the receive of a message that took a control credit anew at once, and owes that. */
  private void doneWithControl(LinkLife life, int slot) throws IOException {
    boolean open = life.isOpen();
    receives.post(slot, open, open);
    flush(open);
    if (open) {
      credits.oweControl();
    }
  }

  /** Posts the receive of a note anew at once, and owes the credit that it took. */
  private void doneWithNote(LinkLife life, int slot) throws IOException {
    boolean open = life.isOpen();
    receives.post(slot, open, open);
    if (open) {
      credits.postAgain();
    } else {
      credits.giveUp();
    }
    flush(open);
  }

  /**
   * The peer has no use for credit that it was leased; returns what is wrong with that, or null.
   */
  private @Nullable String takeBack(int leased) {
    String wrong = credits.takeBack(leased);
    if (wrong == null) {
      receives.giveUp(leased);
    }
    return wrong;
  }

  /**
   * A WRITE with immediate has arrived, and used up a receive.
   *
   * @return what rule the peer has broken, or null
   */
  @Nullable String immediate(int slot, int immediate, int length, RdmaBulk bulk)
      throws IOException {
    receives.taken();
    String overrun = credits.arrived();
    if (overrun != null) {
      receives.post(slot, false, false);
      return overrun;
    }
    int units = Immediate.units(immediate);
    int name = Immediate.target(immediate);
    OwnTarget target = units < 0 ? null : bulk.own().find(name);
    if (target == null) {
      receives.post(slot, false, false);
      return "the peer sent an immediate that is foreign or stale";
    }
    long before = (long) units << target.unitShift();
    return landed(slot, name, target.arrived() + before + length, bulk);
  }

  private @Nullable String landed(int slot, int name, long upTo, RdmaBulk bulk) throws IOException {
    OwnTarget target = bulk.own().find(name);
    if (target == null) {
      receives.post(slot, false, false);
      return "the peer tells of a target that is foreign or stale";
    }
    if (!target.arrivedUpTo(upTo)) {
      receives.post(slot, false, false);
      return "the peer tells of %d bytes in a target of %d where %d had arrived"
          .formatted(upTo, target.length(), target.arrived());
    }
    arrivals.addLanded(slot, target, upTo);
    return null;
  }

  private @Nullable String takePromise(byte kind, int length) {
    return switch (kind) {
      case SendHeader.FRAMES -> credits.arrived();
      case SendHeader.ARRIVED, SendHeader.REVOKE, SendHeader.REVOKED, SendHeader.GIVE_BACK -> {
        String wrong = credits.arrived();
        yield wrong != null || length == BulkNote.length(kind)
            ? wrong
            : "the peer sent a note of " + length + " bytes";
      }
      case SendHeader.CREDIT, SendHeader.FAREWELL -> {
        String wrong = credits.controlArrived();
        yield wrong != null || length == SendHeader.BYTES
            ? wrong
            : "the peer sent a control message of " + length + " bytes";
      }
      default -> "the peer sent a message of the unknown kind " + kind;
    };
  }

  /** A receive was flushed, or failed. */
  void flushed(int slot) throws IOException {
    receives.taken();
    receives.post(slot, false, false);
    receives.flush(false);
  }

  /** In ERR: returns whether the device may still write into a slot. */
  boolean isDrained() throws IOException {
    return receives.isDrained();
  }

  boolean drainsByTime() {
    return receives.drainsByTime();
  }

  /** Returns whether there is something to {@link #deliver}. */
  boolean hasArrived() {
    return !arrivals.isEmpty();
  }

  /** Hands over frames for as long as the link wants them, and returns how many. */
  int deliver(LinkLife life, LinkFaults faults, LinkListener listener, int mostFrameBytes)
      throws IOException {
    int frames = 0;
    while (!arrivals.isEmpty() && life.wantsFrames()) {
      int slot = arrivals.slot();
      OwnTarget target = arrivals.target();
      if (target != null) {
        long upTo = arrivals.upTo();
        consumed(life, slot);
        frames++;
        target.tell(upTo);
        continue;
      }
      if (arrivals.isFarewell()) {
        life.peerSaidFarewell();
        break;
      }
      int length = arrivals.length();
      if (position == 0) {
        position = SendHeader.BYTES;
      }
      if (position < length) {
        ByteBuffer buffer = pool.buffer(slot);
        int start = pool.offset(slot);
        int frame = nextFrame(buffer, start, length, mostFrameBytes, faults);
        if (frame < 0) {
          break;
        }
        int from = start + position + SendHeader.LENGTH_BYTES;
        position += SendHeader.LENGTH_BYTES + frame;
        listener.onFrame(buffer, from, from + frame);
        frames++;
      }
      if (position >= length) {
        consumed(life, slot);
      }
    }
    if (!life.isOpen() || credits.isWorthPosting()) {
      flush(life.isOpen());
    }
    return frames;
  }

  /** Returns the length of the frame at the position, or a negative number for a lie. */
  private int nextFrame(
      ByteBuffer buffer, int start, int length, int mostFrameBytes, LinkFaults faults) {
    int left = length - position - SendHeader.LENGTH_BYTES;
    int frame = left < 1 ? 0 : buffer.getInt(start + position);
    if (frame < 1 || frame > left) {
      faults.peerBrokeRules(
          "the peer announced a frame of " + frame + " bytes where " + left + " were left");
      return -1;
    }
    if (frame > mostFrameBytes) {
      faults.peerBrokeRules(
          "the peer sent a frame of "
              + frame
              + " bytes; this end accepts at most maxFrameBytes = "
              + mostFrameBytes);
      return -1;
    }
    return frame;
  }

  private void consumed(LinkLife life, int slot) throws IOException {
    arrivals.removeFirst();
    position = 0;
    boolean open = life.isOpen();
    boolean ends = credits.leases() && receives.isScarce();
    receives.post(slot, open, open && !ends);
    if (ends) {
      credits.endLease();
    } else if (open) {
      credits.postAgain();
    } else {
      credits.giveUp();
    }
  }

  /** The queue pair is drained or destroyed: gives every slot back. */
  void release() {
    try {
      for (; !arrivals.isEmpty(); arrivals.removeFirst()) {
        receives.post(arrivals.slot(), false, false);
      }
      receives.release();
    } catch (IOException e) {
      LOG.debug("Shared receives cannot be posted again", e); // the device is gone
    }
  }
}
