package io.verbena.rdma.link;

import io.verbena.core.link.LinkListener;
import io.verbena.rdma.RdmaSettings;
import io.verbena.rdma.device.QueuePair;
import io.verbena.rdma.device.RdmaDevice;
import io.verbena.rdma.device.RegisteredPool;
import io.verbena.rdma.wire.BulkNote;
import io.verbena.rdma.wire.Immediate;
import io.verbena.rdma.wire.SendHeader;
import io.verbena.rdma.wire.Terms;
import io.verbena.rdma.wire.WorkId;
import io.verbena.verbs.ext.ReceiveBlock;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The receiving half of a link: posted slots, slots that have arrived, and what the peer has been
 * promised.
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
  private final RdmaDevice device;
  private final RegisteredPool pool;
  private final int depth;
  private final int frameCredits;
  private final int[] slots;
  private final int[] arrivedSlots;
  private final int[] arrivedLengths;

  /** Where bulk bytes have landed, and how many by then; null for a message in the slot. */
  private final @Nullable Landing[] arrivedLandings;

  private final long[] arrivedUpTo;
  private int firstArrived;
  private int arrived;

  /** Where the next frame begins within the first slot that has arrived; 0 before its first. */
  private int position;

  private int posted;
  private int toPost;
  private int framePromises;
  private int controlPromises;
  private int framesToOwe;
  private int owedFrameCredits;
  private int owedControlCredits;

  ReceiveSide(RdmaDevice device, RegisteredPool pool, RdmaSettings settings) {
    this.device = device;
    this.pool = pool;
    this.frameCredits = settings.credits();
    this.depth = depth(settings);
    this.slots = new int[depth];
    this.arrivedSlots = new int[depth];
    this.arrivedLengths = new int[depth];
    this.arrivedLandings = new Landing[depth];
    this.arrivedUpTo = new long[depth];
  }

  static int depth(RdmaSettings settings) {
    return settings.credits() + SendHeader.CONTROL_CREDITS;
  }

  /** Claims and posts all receives, before a peer can send. */
  void post(QueuePair queuePair) throws IOException {
    int claimed = 0;
    try {
      for (; claimed < depth; claimed++) {
        slots[claimed] = pool.claim();
        if (slots[claimed] == RegisteredPool.NONE) {
          throw new IOException(
              "no registered memory is left for the receives of one more link; raise maxPinnedBytes");
        }
      }
    } catch (IOException e) {
      while (claimed > 0) {
        pool.release(slots[--claimed]);
      }
      slots[0] = RegisteredPool.NONE;
      throw e;
    }
    for (int slot : slots) {
      repost(queuePair, slot);
    }
    flush(queuePair);
    framePromises = frameCredits;
    controlPromises = SendHeader.CONTROL_CREDITS;
  }

  /** Returns what the peer is told when it connects. */
  Terms terms() {
    return new Terms(frameCredits, SendHeader.CONTROL_CREDITS, pool.slotBytes(), device.features());
  }

  private void repost(QueuePair queuePair, int slot) throws IOException {
    ReceiveBlock block = device.receives();
    block
        .request(toPost, WorkId.of(queuePair.link(), WorkId.RECEIVE, slot))
        .sge(toPost, pool.address(slot), pool.slotBytes(), pool.lkey(slot));
    toPost++;
    posted++;
    if (toPost == RdmaDevice.RECEIVE_BATCH) {
      flush(queuePair);
    }
  }

  /** What is posted from here on can be promised. */
  private void flush(QueuePair queuePair) throws IOException {
    if (toPost > 0) {
      int count = toPost;
      toPost = 0;
      queuePair.postReceives(device.receives(), count);
      owedFrameCredits += framesToOwe;
      framesToOwe = 0;
    }
  }

  /** The queue pair is in ERR, where a receive that is posted late may never complete. */
  private void postNoMore() {
    posted -= toPost;
    toPost = 0;
  }

  /**
   * A Send has arrived: takes its credit and keeps its frames for {@link #deliver}. A message
   * without frames is done with at once, and its receive owed back to the peer. Of one that only
   * returns credit this is needed: whatever is sent with the credit it brought returns its own, on
   * which {@link SendHeader} relies.
   *
   * @return what rule the peer has broken, or null
   */
  @Nullable String arrived(RdmaLink link, int slot, int length, SendSide sends, RdmaBulk bulk)
      throws IOException {
    posted--;
    if (length < SendHeader.BYTES) {
      return "the peer sent " + length + " bytes, which is no message";
    }
    ByteBuffer from = pool.buffer(slot);
    int at = pool.offset(slot);
    byte kind = SendHeader.kind(from, at);
    String wrong = takePromise(kind, length);
    if (wrong == null) {
      wrong =
          sends.credited(SendHeader.controlCredits(from, at), SendHeader.frameCredits(from, at));
    }
    if (wrong != null) {
      return wrong;
    }
    switch (kind) {
      case SendHeader.CREDIT -> owedControlCredits += doneWith(link, slot, 0);
      case SendHeader.ARRIVED -> {
        return landed(slot, BulkNote.landing(from, at), BulkNote.arrived(from, at), bulk);
      }
      case SendHeader.REVOKE, SendHeader.REVOKED -> {
        int landing = BulkNote.landing(from, at);
        doneWith(link, slot, 1);
        return kind == SendHeader.REVOKE ? bulk.revoke(landing) : bulk.revoked(landing);
      }
      default -> keep(slot, length, null, 0);
    }
    return null;
  }

  /** Posts the receive of a message anew at once; returns 1 if that was possible. */
  private int doneWith(RdmaLink link, int slot, int frameCredits) throws IOException {
    if (!link.isOpen()) {
      return 0;
    }
    framesToOwe += frameCredits;
    repost(link.queuePair(), slot);
    flush(link.queuePair());
    return 1;
  }

  private void keep(int slot, int length, @Nullable Landing landing, long upTo) {
    int place = (firstArrived + arrived) % depth;
    arrivedSlots[place] = slot;
    arrivedLengths[place] = length;
    arrivedLandings[place] = landing;
    arrivedUpTo[place] = upTo;
    arrived++;
  }

  /**
   * A WRITE with immediate has arrived, and used up a receive.
   *
   * @return what rule the peer has broken, or null
   */
  @Nullable String immediate(int slot, int immediate, int length, RdmaBulk bulk) {
    posted--;
    if (--framePromises < 0) {
      return overrun();
    }
    int units = Immediate.units(immediate);
    int name = Immediate.landing(immediate);
    Landing landing = units < 0 ? null : bulk.find(name);
    if (landing == null) {
      return "the peer sent an immediate that is foreign or stale";
    }
    long before = (long) units << landing.unitShift();
    return landed(slot, name, landing.arrived() + before + length, bulk);
  }

  private @Nullable String landed(int slot, int name, long upTo, RdmaBulk bulk) {
    Landing landing = bulk.find(name);
    if (landing == null) {
      return "the peer tells of a landing that is foreign or stale";
    }
    if (!landing.arrivedUpTo(upTo)) {
      return "the peer tells of %d bytes in a landing of %d where %d had arrived"
          .formatted(upTo, landing.length(), landing.arrived());
    }
    keep(slot, 0, landing, upTo);
    return null;
  }

  private String overrun() {
    return "the peer overran its credits: it was promised " + frameCredits + " receives";
  }

  private @Nullable String takePromise(byte kind, int length) {
    switch (kind) {
      case SendHeader.FRAMES -> {
        if (--framePromises < 0) {
          return overrun();
        }
      }
      case SendHeader.ARRIVED, SendHeader.REVOKE, SendHeader.REVOKED -> {
        if (--framePromises < 0) {
          return overrun();
        }
        if (length != BulkNote.length(kind)) {
          return "the peer sent a note of " + length + " bytes";
        }
      }
      case SendHeader.CREDIT, SendHeader.FAREWELL -> {
        if (--controlPromises < 0) {
          return "the peer overran its credits for control messages";
        }
        if (length != SendHeader.BYTES) {
          return "the peer sent a control message of " + length + " bytes";
        }
      }
      default -> {
        return "the peer sent a message of the unknown kind " + kind;
      }
    }
    return null;
  }

  /** A receive was flushed. */
  void flushed() {
    posted--;
  }

  /** Returns whether the device may still write into a slot. */
  boolean isDrained() {
    return posted == 0;
  }

  /** Returns whether there is something to {@link #deliver}. */
  boolean hasArrived() {
    return arrived > 0;
  }

  /** Hands over frames for as long as the link wants them, and returns how many. */
  int deliver(RdmaLink link, LinkListener listener, int mostFrameBytes) throws IOException {
    int frames = 0;
    while (arrived > 0 && link.wantsFrames()) {
      int slot = arrivedSlots[firstArrived];
      Landing landing = arrivedLandings[firstArrived];
      if (landing != null) {
        long upTo = arrivedUpTo[firstArrived];
        consumed(link, slot);
        frames++;
        landing.tell(upTo);
        continue;
      }
      ByteBuffer buffer = pool.buffer(slot);
      int start = pool.offset(slot);
      byte kind = SendHeader.kind(buffer, start);
      if (kind == SendHeader.FAREWELL) {
        link.peerSaidFarewell();
        break;
      }
      if (position == 0) {
        position = SendHeader.BYTES;
      }
      int length = arrivedLengths[firstArrived];
      if (position < length) {
        int frame = nextFrame(buffer, start, length, mostFrameBytes, link);
        if (frame < 0) {
          break;
        }
        int from = start + position + SendHeader.LENGTH_BYTES;
        position += SendHeader.LENGTH_BYTES + frame;
        listener.onFrame(buffer, from, from + frame);
        frames++;
      }
      if (position >= length) {
        consumed(link, slot);
      }
    }
    if (link.isOpen()) {
      flush(link.queuePair());
    } else {
      postNoMore();
    }
    return frames;
  }

  /** Returns the length of the frame at the position, or a negative number for a lie. */
  private int nextFrame(
      ByteBuffer buffer, int start, int length, int mostFrameBytes, RdmaLink link) {
    int left = length - position - SendHeader.LENGTH_BYTES;
    int frame = left < 1 ? 0 : buffer.getInt(start + position);
    if (frame < 1 || frame > left) {
      link.peerBrokeRules(
          "the peer announced a frame of " + frame + " bytes where " + left + " were left");
      return -1;
    }
    if (frame > mostFrameBytes) {
      link.peerBrokeRules(
          "the peer sent a frame of "
              + frame
              + " bytes; this end accepts at most maxFrameBytes = "
              + mostFrameBytes);
      return -1;
    }
    return frame;
  }

  private void consumed(RdmaLink link, int slot) throws IOException {
    arrivedLandings[firstArrived] = null;
    firstArrived = (firstArrived + 1) % depth;
    arrived--;
    position = 0;
    if (link.isOpen()) {
      framesToOwe++;
      repost(link.queuePair(), slot);
    }
  }

  /** Returns whether credit can wait for a Send that goes anyway. */
  boolean owesLittle() {
    return owedFrameCredits < frameCredits / 2;
  }

  boolean owesControl() {
    return owedControlCredits > 0;
  }

  int takeOwedFrameCredits() {
    int owed = Math.min(owedFrameCredits, SendHeader.MOST_FRAME_CREDITS);
    owedFrameCredits -= owed;
    framePromises += owed;
    return owed;
  }

  int takeOwedControlCredits() {
    int owed = owedControlCredits;
    owedControlCredits = 0;
    controlPromises += owed;
    return owed;
  }

  /** The queue pair is drained or destroyed: gives every slot back. */
  void release() {
    if (slots[0] != RegisteredPool.NONE) {
      for (int slot : slots) {
        pool.release(slot);
      }
    }
    slots[0] = RegisteredPool.NONE;
    Arrays.fill(arrivedLandings, null);
    arrived = 0;
  }
}
