package io.verbena.rdma.link;

import io.verbena.link.LinkListener;
import io.verbena.rdma.device.Receives;
import io.verbena.rdma.device.RegisteredPool;
import io.verbena.rdma.wire.BulkNote;
import io.verbena.rdma.wire.Immediate;
import io.verbena.rdma.wire.SendHeader;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The receiving half of a link: slots that have arrived, in a ring as long as there are receives.
 *
 * <pre>
 *   posted ─completion─→ arrived ─every frame handed over─→ posted again, credit owed ─any Send─→
 *     ↑ promised to the peer                                                            promised
 * </pre>
 *
 * <p>While frames are not wanted, arrived slots stay and no credit is returned. The peer runs out
 * of credit after as many Sends as there are receives, which bounds the memory.
 *
 * <p>Frames are not handed over from within the polling of completions. A listener may end the link
 * and its queue pair there. Its answers may also need credit that a later completion of the same
 * batch brings. On the loop.
 */
final class ReceiveSide {
  private static final Logger LOG = LoggerFactory.getLogger(ReceiveSide.class);

  /** Marks the peer's last message, in place of a length. */
  private static final int FAREWELL = -1;

  private final Receives receives;
  private final CreditLedger credits;
  private final RegisteredPool pool;
  private final RdmaBulk bulk;
  private final int mostFrameBytes;

  /** Whether the link is open. Otherwise receives are posted for other links, or not at all. */
  private boolean open;

  private boolean wanted;

  // Arrived messages that are not handed over yet, in order.
  private final int[] slots;
  private final int[] lengths;

  /** The target of bulk bytes that have landed; null for a message in the slot. */
  private final LocalTargets.@Nullable LocalTarget[] targets;

  /** The bytes that had landed by then. */
  private final long[] upTo;

  private int first;
  private int count;

  /** The offset of the next frame in the first slot; 0 before its first frame. */
  private int position;

  private @Nullable String lie;
  private boolean farewellArrived;

  /**
   * Makes a receive side on which nothing has arrived.
   *
   * @param bulk receives notes
   * @param depth the largest number of receives
   */
  ReceiveSide(
      Receives receives, CreditLedger credits, RdmaBulk bulk, int depth, int mostFrameBytes) {
    this.receives = receives;
    this.credits = credits;
    this.pool = receives.pool();
    this.bulk = bulk;
    this.mostFrameBytes = mostFrameBytes;
    this.slots = new int[depth];
    this.lengths = new int[depth];
    this.targets = new LocalTargets.LocalTarget[depth];
    this.upTo = new long[depth];
  }

  /**
   * The state of the link has changed.
   *
   * @param wanted whether arrived frames are handed over
   */
  void link(boolean open, boolean wanted) {
    this.open = open;
    this.wanted = wanted;
  }

  /** Posts the waiting receives, which can be promised from now on. */
  private void flush() throws IOException {
    receives.flush(open);
    credits.posted();
  }

  // ---- completions ----

  /**
   * Takes an arrived Send: its credit, and its frames for {@link #deliver}. A message without
   * frames is finished at once, and its receive is owed back to the peer. This matters for a
   * message that only returns credit: whatever is sent with that credit must return the message's
   * own, as {@link SendHeader} requires.
   *
   * @return the rule that the peer has broken, or null
   */
  @Nullable String arrived(int slot, int length) throws IOException {
    receives.taken();
    if (length < SendHeader.BYTES) {
      receives.post(slot, false, false);
      return "the peer sent " + length + " bytes, which are too few for a message";
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
    String broken = take(kind, slot, length, from, at);
    if (SendHeader.wantsMore(header)) {
      leaseMore(); // which may fail, and must not lose the message
    }
    return broken;
  }

  private @Nullable String take(byte kind, int slot, int length, ByteBuffer from, int at)
      throws IOException {
    switch (kind) {
      case SendHeader.CREDIT -> doneWithControl(slot);
      case SendHeader.ARRIVED -> {
        return landed(slot, BulkNote.target(from, at), BulkNote.arrived(from, at));
      }
      case SendHeader.GIVE_BACK -> {
        int leased = BulkNote.target(from, at);
        doneWithNote(slot);
        return takeBack(leased);
      }
      case SendHeader.REVOKE, SendHeader.REVOKED -> {
        int target = BulkNote.target(from, at);
        doneWithNote(slot);
        return kind == SendHeader.REVOKE ? bulk.revoke(target) : bulk.local().revoked(target);
      }
      case SendHeader.FAREWELL -> {
        farewellArrived = true;
        add(slot, FAREWELL, null, 0);
      }
      default -> add(slot, length, null, 0);
    }
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

  /** Leases further receives to a peer that has used up its own. */
  private void leaseMore() throws IOException {
    int more = credits.mayLease();
    if (more > 0) {
      credits.lease(receives.lease(more));
    }
  }

  /** Posts the receive of a control message again at once, and owes its credit. */
  private void doneWithControl(int slot) throws IOException {
    receives.post(slot, open, open);
    flush();
    if (open) {
      credits.oweControl();
    }
  }

  /** Posts the receive of a note again at once, and owes its credit. */
  private void doneWithNote(int slot) throws IOException {
    receives.post(slot, open, open);
    if (open) {
      credits.postAgain();
    } else {
      credits.giveUp();
    }
    flush();
  }

  /** Takes leased credit that the peer does not need; returns the broken rule, or null. */
  private @Nullable String takeBack(int leased) {
    String wrong = credits.takeBack(leased);
    if (wrong == null) {
      receives.giveUp(leased);
    }
    return wrong;
  }

  /**
   * Takes an arrived WRITE with immediate, which has used up a receive.
   *
   * @return the rule that the peer has broken, or null
   */
  @Nullable String immediate(int slot, int immediate, int length) throws IOException {
    receives.taken();
    String overrun = credits.arrived();
    if (overrun != null) {
      receives.post(slot, false, false);
      return overrun;
    }
    int units = Immediate.units(immediate);
    int name = Immediate.target(immediate);
    LocalTargets.LocalTarget target = units < 0 ? null : bulk.local().find(name);
    if (target == null) {
      receives.post(slot, false, false);
      return "the peer sent an immediate that is foreign or stale";
    }
    long before = (long) units << target.unitShift();
    return landed(slot, name, target.arrived() + before + length);
  }

  private @Nullable String landed(int slot, int name, long upTo) throws IOException {
    LocalTargets.LocalTarget target = bulk.local().find(name);
    if (target == null) {
      receives.post(slot, false, false);
      return "the peer reports a target that is foreign or stale";
    }
    if (!target.arrivedUpTo(upTo)) {
      receives.post(slot, false, false);
      return "the peer reports %d bytes in a target of %d, after %d had arrived"
          .formatted(upTo, target.length(), target.arrived());
    }
    add(slot, 0, target, upTo);
    return null;
  }

  private void add(int slot, int length, LocalTargets.@Nullable LocalTarget target, long landed) {
    int place = first + count;
    if (place >= slots.length) {
      place -= slots.length;
    }
    slots[place] = slot;
    lengths[place] = length;
    targets[place] = target;
    upTo[place] = landed;
    count++;
  }

  /** A receive was flushed, or failed. */
  void flushed(int slot) throws IOException {
    receives.taken();
    receives.post(slot, false, false);
    receives.flush(false);
  }

  // ---- handover ----

  /** Returns whether there is something to {@link #deliver}. */
  boolean hasArrived() {
    return count > 0;
  }

  /**
   * Hands over frames as long as the link wants them; returns their number. Stops at the peer's
   * {@linkplain #isFarewellNext farewell} or {@linkplain #takeLie lie}. The caller then {@linkplain
   * #settle posts the receives again}.
   */
  int deliver(LinkListener listener) throws IOException {
    int frames = 0;
    while (count > 0 && wanted) {
      int slot = slots[first];
      LocalTargets.LocalTarget target = targets[first];
      if (target != null) {
        long landed = upTo[first];
        consumed(slot);
        frames++;
        target.tell(landed);
        continue;
      }
      int length = lengths[first];
      if (length == FAREWELL) {
        break;
      }
      int at = position == 0 ? SendHeader.BYTES : position;
      if (at < length) {
        ByteBuffer buffer = pool.buffer(slot);
        int from = pool.offset(slot) + at + SendHeader.LENGTH_BYTES;
        int left = length - at - SendHeader.LENGTH_BYTES;
        int frame = left < 1 ? 0 : buffer.getInt(from - SendHeader.LENGTH_BYTES);
        if (frame < 1 || frame > left || frame > mostFrameBytes) {
          lie = lie(frame, left);
          break;
        }
        at += SendHeader.LENGTH_BYTES + frame;
        position = at;
        listener.onFrame(buffer, from, from + frame);
        frames++;
      }
      if (at >= length) {
        consumed(slot);
      }
    }
    return frames;
  }

  private String lie(int frame, int left) {
    return frame < 1 || frame > left
        ? "the peer announced a frame of " + frame + " bytes where " + left + " were left"
        : "the peer sent a frame of "
            + frame
            + " bytes; this end accepts at most maxFrameBytes = "
            + mostFrameBytes;
  }

  private void consumed(int slot) throws IOException {
    targets[first] = null;
    first = first + 1 == slots.length ? 0 : first + 1;
    count--;
    position = 0;
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

  /** Returns once the fault of a frame that was not handed over; null if there is none. */
  @Nullable String takeLie() {
    String taken = lie;
    lie = null;
    return taken;
  }

  /** Returns whether the peer has sent its last message, which may not be handed over yet. */
  boolean hasFarewellArrived() {
    return farewellArrived;
  }

  boolean isFarewellNext() {
    return wanted && count > 0 && targets[first] == null && lengths[first] == FAREWELL;
  }

  /** After {@link #deliver}: posts the receives of handed-over messages, if that is due. */
  void settle() throws IOException {
    if (!open || credits.isWorthPosting()) {
      flush();
    }
  }

  // ---- the end ----

  /** Releases every slot; the queue pair is drained or destroyed. */
  void release() {
    try {
      while (count > 0) {
        int slot = slots[first];
        targets[first] = null;
        first = first + 1 == slots.length ? 0 : first + 1;
        count--;
        receives.post(slot, false, false);
      }
      receives.release();
    } catch (IOException e) {
      LOG.debug("Shared receives cannot be posted again", e); // the device is gone
    }
  }
}
