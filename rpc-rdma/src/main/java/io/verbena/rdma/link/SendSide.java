package io.verbena.rdma.link;

import io.verbena.core.memory.Slot;
import io.verbena.rdma.RdmaCounters;
import io.verbena.rdma.device.QueuePair;
import io.verbena.rdma.device.RdmaDevice;
import io.verbena.rdma.device.RegisteredPool;
import io.verbena.rdma.wire.SendHeader;
import io.verbena.rdma.wire.Terms;
import io.verbena.rdma.wire.WorkId;
import io.verbena.verbs.ext.SendBlock;
import io.verbena.verbs.ext.SendFlags;
import io.verbena.verbs.ext.SendOpcode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The sending half of a link. Frames are packed into an open slot, which is posted when it is full
 * or flushed. A slot is opened only with a credit in hand, so that whatever was taken can be
 * posted.
 *
 * <pre>
 *   frame ─→ open slot ─post─→ in the send queue ─completion─→ slot back to its pool
 *              (credit)            inline: the slot goes back at once
 * </pre>
 *
 * <p>A Send that borrows its slot is signalled, since its completion brings the slot back; an
 * inline one only every so often, so that its place in the send queue comes back.
 */
final class SendSide {
  /** Places in the send queue that frames leave free: for control messages and the last Send. */
  private static final int RESERVED = SendHeader.CONTROL_CREDITS + 1;

  private final RdmaDevice device;
  private final RegisteredPool pool;
  private final QueuePair queuePair;
  private final ReceiveSide receives;
  private final RdmaCounters counters;

  /** Which slot each place in the send queue borrows. */
  private final int[] borrowed;

  private final int signalInterval;
  private long posted;
  private long reaped;
  private int unsignalled;

  /** One slot stays with the link, so that an exhausted pool slows it down but never stops it. */
  private int spare = RegisteredPool.NONE;

  private int open = RegisteredPool.NONE;
  private int openLength;
  private int frameCredits;
  private int controlCredits;
  private int mostFrameCredits;
  private int mostBytes;

  SendSide(
      RdmaDevice device,
      QueuePair queuePair,
      ReceiveSide receives,
      int depth,
      RdmaCounters counters) {
    this.device = device;
    this.pool = device.sendPool();
    this.queuePair = queuePair;
    this.receives = receives;
    this.counters = counters;
    this.borrowed = new int[depth];
    Arrays.fill(borrowed, RegisteredPool.NONE);
    this.signalInterval = depth / 4;
  }

  /** Returns a depth of the send queue that lets a peer's credits be used to the full. */
  static int depth(int credits) {
    return Math.max(64, credits + 2 * RESERVED);
  }

  /** The peer has said what it has posted; nothing is sent before. */
  void peerTerms(Terms terms) throws IOException {
    frameCredits = terms.frameCredits();
    mostFrameCredits = terms.frameCredits();
    controlCredits = terms.controlCredits();
    mostBytes = Math.min(pool.slotBytes(), terms.slotBytes());
    spare = pool.claim();
    if (spare == RegisteredPool.NONE) {
      throw new IOException("no registered memory is left to send from; raise maxPinnedBytes");
    }
  }

  /** Returns the longest frame that fits a Send. */
  int maxFrameBytes() {
    return mostBytes - SendHeader.BYTES - SendHeader.LENGTH_BYTES;
  }

  /** Takes a frame, or returns false where there is no room or credit. */
  boolean accept(Slot frame) throws IOException {
    int bytes = SendHeader.LENGTH_BYTES + frame.length();
    if (open != RegisteredPool.NONE && openLength + bytes > mostBytes) {
      flush();
    }
    if (open == RegisteredPool.NONE && !begin()) {
      return false;
    }
    ByteBuffer to = pool.buffer(open);
    int at = pool.offset(open) + openLength;
    to.putInt(at, frame.length());
    to.put(at + SendHeader.LENGTH_BYTES, frame.buffer(), 0, frame.length());
    openLength += bytes;
    return true;
  }

  /** Returns whether a frame could be taken now. */
  boolean hasRoom() {
    return frameCredits > 0 && posted - reaped + RESERVED < borrowed.length;
  }

  private boolean begin() throws IOException {
    if (!hasRoom()) {
      return false;
    }
    open = takeSlot();
    if (open == RegisteredPool.NONE) {
      return false;
    }
    frameCredits--;
    openLength = SendHeader.BYTES;
    return true;
  }

  private int takeSlot() throws IOException {
    int slot = spare;
    spare = RegisteredPool.NONE;
    return slot != RegisteredPool.NONE ? slot : pool.claim();
  }

  private void giveBack(int slot) {
    if (spare == RegisteredPool.NONE) {
      spare = slot;
    } else {
      pool.release(slot);
    }
  }

  /** Posts what is open. */
  void flush() throws IOException {
    if (open != RegisteredPool.NONE) {
      int slot = open;
      open = RegisteredPool.NONE;
      post(slot, openLength, SendHeader.FRAMES);
    }
  }

  /** Returns credit by itself where much is owed; the last control credit is the farewell's. */
  boolean returnCredit() throws IOException {
    if (receives.owesLittle() || controlCredits <= 1 || !sendControl(SendHeader.CREDIT)) {
      return false;
    }
    counters.creditMessage();
    return true;
  }

  /** Says that nothing more comes; its completion says that the peer's device has everything. */
  boolean sayFarewell() throws IOException {
    return controlCredits > 0 && sendControl(SendHeader.FAREWELL);
  }

  private boolean sendControl(byte kind) throws IOException {
    if (posted - reaped + 1 >= borrowed.length) {
      return false;
    }
    int slot = takeSlot();
    if (slot == RegisteredPool.NONE) {
      return false;
    }
    controlCredits--;
    post(slot, SendHeader.BYTES, kind);
    return true;
  }

  private void post(int slot, int length, byte kind) throws IOException {
    SendHeader.write(
        pool.buffer(slot),
        pool.offset(slot),
        kind,
        receives.takeOwedControlCredits(),
        receives.takeOwedFrameCredits());
    boolean inline = length <= queuePair.maxInline();
    boolean signalled = !inline || kind == SendHeader.FAREWELL || ++unsignalled == signalInterval;
    unsignalled = signalled ? 0 : unsignalled;
    int flags = (inline ? SendFlags.INLINE : 0) | (signalled ? SendFlags.SIGNALED : 0);
    int place = (int) (posted % borrowed.length);
    SendBlock block = device.sends();
    block
        .request(0, WorkId.of(queuePair.link(), WorkId.SEND, place), SendOpcode.SEND, flags)
        .sge(0, pool.address(slot), length, pool.lkey(slot));
    borrowed[place] = slot;
    posted++;
    if (!queuePair.postSend(block)) {
      throw new IOException("the send queue is full with " + (posted - reaped) + " Sends");
    }
    if (inline) {
      borrowed[place] = RegisteredPool.NONE;
      giveBack(slot);
    }
  }

  /** A Send and all before it have completed: their slots come back. */
  void completed(int place) {
    int done;
    do {
      done = (int) (reaped % borrowed.length);
      if (borrowed[done] != RegisteredPool.NONE) {
        giveBack(borrowed[done]);
        borrowed[done] = RegisteredPool.NONE;
      }
      reaped++;
    } while (done != place && reaped < posted);
  }

  /** Returns whether the completion of that place is the latest Send's. */
  boolean isLatest(int place) {
    return posted > 0 && place == (int) ((posted - 1) % borrowed.length);
  }

  /** The peer gives credit back; returns what is wrong with that, or null. */
  @Nullable String credited(int control, int frames) {
    frameCredits += frames;
    controlCredits += control;
    if (frameCredits > mostFrameCredits || controlCredits > SendHeader.CONTROL_CREDITS) {
      return "the peer returned credit that it had not been given";
    }
    return null;
  }

  /**
   * In ERR: posts a Send that is flushed after all others; false where there is no room yet.
   * Without it nobody knows whether an unsignalled Send is still in the queue.
   */
  boolean postLast() throws IOException {
    SendBlock block = device.sends();
    block.request(
        0, WorkId.of(queuePair.link(), WorkId.LAST_SEND, 0), SendOpcode.SEND, SendFlags.SIGNALED);
    return queuePair.postSend(block);
  }

  /** The queue pair is drained or destroyed: gives every slot back. */
  void release() {
    for (int i = 0; i < borrowed.length; i++) {
      release(borrowed[i]);
      borrowed[i] = RegisteredPool.NONE;
    }
    release(open);
    release(spare);
    open = RegisteredPool.NONE;
    spare = RegisteredPool.NONE;
  }

  private void release(int slot) {
    if (slot != RegisteredPool.NONE) {
      pool.release(slot);
    }
  }
}
