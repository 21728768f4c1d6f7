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
 * <p>While frames are not wanted, arrived slots stay and no credit goes back: the peer runs dry
 * after as many Sends as there are credits, which bounds the memory.
 *
 * <p>Frames are not handed over from within the polling of completions: a listener may end the
 * link, and so its queue pair, and the credit that a later completion of the same batch brings is
 * wanted for its answers. On the loop.
 */
final class ReceiveSide {
  private static final Logger LOG = LoggerFactory.getLogger(ReceiveSide.class);

  /** Stands for the length of the peer's last message. */
  private static final int FAREWELL = -1;

  private final Receives receives;
  private final CreditLedger credits;
  private final RegisteredPool pool;
  private final RdmaBulk bulk;
  private final int mostFrameBytes;

  /** Whether the link stands; else receives are posted for others, or not at all. */
  private boolean open;

  private boolean wanted;

  // What has arrived and is not handed over yet, in its order.
  private final int[] slots;
  private final int[] lengths;

  /** Where bulk bytes have landed; null for a message in the slot. */
  private final LocalTargets.@Nullable LocalTarget[] targets;

  /** How many bytes had landed by then. */
  private final long[] upTo;

  private int first;
  private int count;

  /** Where the next frame begins within the first slot; 0 before its first. */
  private int position;

  private @Nullable String lie;

  /**
   * Nothing has arrived yet.
   *
   * @param bulk hears of notes
   * @param depth how many receives there may be
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
   * The link has changed.
   *
   * @param open whether it stands
   * @param wanted whether what has arrived is handed over
   */
  void link(boolean open, boolean wanted) {
    this.open = open;
    this.wanted = wanted;
  }

  /** What is posted from here on can be promised. */
  private void flush() throws IOException {
    receives.flush(open);
    credits.posted();
  }

  // ---- completions ----

  /**
   * A Send has arrived: takes its credit and keeps its frames for {@link #deliver}. A message
   * without frames is done with at once, and its receive owed back to the peer. Of one that only
   * returns credit this is needed: whatever is sent with the credit it brought returns its own, on
   * which {@link SendHeader} relies.
   *
   * @return what rule the peer has broken, or null
   */
  @Nullable String arrived(int slot, int length) throws IOException {
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
      case SendHeader.FAREWELL -> add(slot, FAREWELL, null, 0);
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

  /** A peer that has used up what it has may have more, where receives are leased. */
  private void leaseMore() throws IOException {
    int more = credits.mayLease();
    if (more > 0) {
      credits.lease(receives.lease(more));
    }
  }

  /** Posts the receive of a message that took a control credit anew at once, and owes that. */
  private void doneWithControl(int slot) throws IOException {
    receives.post(slot, open, open);
    flush();
    if (open) {
      credits.oweControl();
    }
  }

  /** Posts the receive of a note anew at once, and owes the credit that it took. */
  private void doneWithNote(int slot) throws IOException {
    receives.post(slot, open, open);
    if (open) {
      credits.postAgain();
    } else {
      credits.giveUp();
    }
    flush();
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
      return "the peer tells of a target that is foreign or stale";
    }
    if (!target.arrivedUpTo(upTo)) {
      receives.post(slot, false, false);
      return "the peer tells of %d bytes in a target of %d where %d had arrived"
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

  // ---- handing over ----

  /** Returns whether there is something to {@link #deliver}. */
  boolean hasArrived() {
    return count > 0;
  }

  /**
   * Hands over frames for as long as the link wants them, and returns how many; ends with the
   * peer's {@linkplain #isFarewellNext farewell} or {@linkplain #takeLie lie}. Whoever called this
   * has the receives {@linkplain #settle posted again}.
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

  /** Returns, once, what was wrong with a frame that was not handed over; null if nothing was. */
  @Nullable String takeLie() {
    String taken = lie;
    lie = null;
    return taken;
  }

  /** Returns whether the peer's farewell is to be handed over. */
  boolean isFarewellNext() {
    return wanted && count > 0 && targets[first] == null && lengths[first] == FAREWELL;
  }

  /** After {@link #deliver}: posts the receives of what was handed over, where that is due. */
  void settle() throws IOException {
    if (!open || credits.isWorthPosting()) {
      flush();
    }
  }

  // ---- the end ----

  /** The queue pair is drained or destroyed: gives every slot back. */
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
