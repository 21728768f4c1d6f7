package io.verbena.shm;

import static io.verbena.shm.RingFile.LONG;

import io.verbena.link.BulkPort;
import io.verbena.link.Link;
import io.verbena.link.LinkCapabilities;
import io.verbena.link.LinkListener;
import io.verbena.link.SendResult;
import io.verbena.link.memory.Slot;
import io.verbena.link.runtime.ThrottledLog;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.Locale;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One end of a shared-memory link.
 *
 * <p>Before an end sleeps, it says so in shared memory, and then looks at the rings once more.
 * After an end has written to a ring, it checks whether the reader sleeps. Each has a fence between
 * its two steps, so at least one of them notices the other. The peer of a polling loop never wakes
 * it.
 */
final class ShmLink implements Link {
  static final String KIND = "shm";

  private static final ThrottledLog FAILED =
      ThrottledLog.of(ShmLink.class, "listeners of shared-memory links that failed");

  private final RingFile file;
  private final WakeupSocket wakeup;
  private final Runnable whenClosed;
  private final ShmCounters counters;
  private final String localAddress;
  private final String peerAddress;
  private final LinkCapabilities capabilities;
  private final MemorySegment memory;
  private final long sleepsAt;
  private final long peerSleepsAt;
  private final OutRing out;
  private final InRing in;
  private final ShmBulk bulk;

  private final Inbound inbound;
  private @Nullable LinkListener listener;
  private boolean receiving = true;
  private @Nullable String closedBecause;

  /**
   * Makes an end.
   *
   * @param active whether it is the end that has connected
   * @param inbound holds the frame for its listener; shared with the other links of the loop
   * @param whenClosed runs once when the link has closed; its memory and socket may then be
   *     released
   */
  ShmLink(
      RingFile file,
      boolean active,
      WakeupSocket wakeup,
      int maxFrameBytes,
      Inbound inbound,
      LinkFiles place,
      String localAddress,
      String peerAddress,
      ShmCounters counters,
      Runnable whenClosed) {
    this.file = file;
    this.wakeup = wakeup;
    this.counters = counters;
    this.whenClosed = whenClosed;
    this.inbound = inbound;
    this.localAddress = localAddress;
    this.peerAddress = peerAddress;
    double mebibytes = (double) RingFile.bytes(file.ringBytes) / (1 << 20);
    this.capabilities =
        new LinkCapabilities(
            KIND,
            String.format(Locale.ROOT, "%.1f MiB in %s", mebibytes, place),
            Math.min(maxFrameBytes, OutRing.longestFrame(file.ringBytes)),
            false);
    this.memory = file.memory;
    this.sleepsAt = RingFile.sleeps(active);
    this.peerSleepsAt = RingFile.sleeps(!active);
    this.out = new OutRing(file, active);
    this.in = new InRing(file, active);
    this.bulk = new ShmBulk(this, out, memory, file.ringBytes);
  }

  /** Asks the owner for its listener. The owner may close the link meanwhile. */
  void open(Function<Link, LinkListener> owner) {
    try {
      listener = owner.apply(this);
    } catch (RuntimeException e) {
      FAILED.error("The owner of the link to {} failed; the link is closed", peerAddress, e);
      abort("its owner failed: " + e);
    }
    if (closedBecause != null && listener != null) {
      listener.onClosed(closedBecause);
    }
  }

  @Override
  public void listener(LinkListener next) {
    listener = next;
  }

  @Override
  public LinkCapabilities capabilities() {
    return capabilities;
  }

  @Override
  public String localAddress() {
    return localAddress;
  }

  @Override
  public String peerAddress() {
    return peerAddress;
  }

  @Override
  public BulkPort bulk() {
    return bulk;
  }

  @Override
  public SendResult send(Slot slot) {
    capabilities.requireFrame(slot.length());
    if (isClosed()) {
      return SendResult.CLOSED;
    }
    try {
      if (out.frame(slot.buffer(), slot.length())) {
        return SendResult.SENT;
      }
      flush();
      return SendResult.BACK_PRESSURED;
    } catch (BrokenRing | InternalError e) {
      broken(e);
      return SendResult.CLOSED;
    }
  }

  @Override
  public void flush() {
    try {
      if (!isClosed() && out.publish()) {
        wakePeer();
      }
    } catch (InternalError e) {
      broken(e);
    }
  }

  /** Wakes the peer for new records, if it sleeps. */
  void wakePeer() {
    VarHandle.fullFence();
    if ((long) LONG.getOpaque(memory, peerSleepsAt) != 0) {
      wakeOnce();
    }
  }

  /** Wakes the peer, unless this end already did since the peer began to sleep. */
  private void wakeOnce() {
    if (LONG.compareAndSet(memory, peerSleepsAt, 1L, 0L)) {
      counters.peersWoken.increment();
      wakeup.wakePeer();
    }
  }

  @Override
  public void setReceiving(boolean receiving) {
    this.receiving = receiving;
  }

  boolean isClosed() {
    return closedBecause != null;
  }

  /** The loop is about to sleep, so the peer must wake it from now on. A fence must follow. */
  void sleep() {
    try {
      if (!isClosed()) {
        out.sendRoom();
        LONG.setOpaque(memory, sleepsAt, 1L);
      }
    } catch (InternalError e) {
      broken(e);
    }
  }

  /** The loop polls, so the peer need not wake it. */
  void wake() {
    try {
      if (!isClosed()) {
        LONG.setOpaque(memory, sleepsAt, 0L);
      }
    } catch (InternalError e) {
      broken(e);
    }
  }

  /** Returns whether {@link #poll} would find work. */
  boolean hasWork() {
    try {
      return isClosed()
          || bulk.hasWritten()
          || out.seesRoom()
          || (receiving && (wakeup.isGone() || !in.isEmpty()));
    } catch (BrokenRing | InternalError e) {
      broken(e);
      return true;
    }
  }

  /**
   * Hands over arrived frames, and notifies of room and of the end. Returns the number of events.
   */
  int poll() {
    if (isClosed()) {
      return 0;
    }
    try {
      return bulk.tellOfWritten() + tellOfRoom() + receive();
    } catch (BrokenRing | InternalError e) {
      broken(e);
      return 1;
    } catch (RuntimeException e) {
      FAILED.error("The listener of the link to {} failed; the link is closed", peerAddress, e);
      abort("its listener failed: " + e);
      return 1;
    }
  }

  private int tellOfRoom() {
    if (isClosed() || !out.hasRoomAgain()) {
      return 0;
    }
    listener().onWritable();
    return 1;
  }

  private int receive() {
    // Read first, so that everything that the peer wrote before is seen below.
    boolean gone = wakeup.isGone();
    long end = in.taken() + in.capacity(); // leaves time for other links
    int done = 0;
    boolean bulkMoved = false;
    while (receiving && !isClosed() && in.taken() < end) {
      long record = in.next();
      if (record == 0) {
        if (gone) {
          finish("the peer's process has gone");
          done++;
        }
        break;
      }
      int length = Records.length(record);
      switch (Records.kind(record)) {
        case Records.FRAME -> frame(length);
        case Records.PIECE, Records.CHECKPOINT -> {
          bulk.land(in.content(), length, Records.kind(record) == Records.CHECKPOINT);
          bulkMoved = true;
        }
        case Records.CLOSED -> finish("the peer closed the link");
        case Records.ABORTED -> finish("the peer aborted the link");
        default -> {}
      }
      done++;
      if (isClosed()) {
        break; // its memory may be unmapped
      }
      in.take(record);
    }
    if (done > 0 && !isClosed()) {
      tellOfRoomMade();
      if (bulkMoved) {
        listener().onBulkMoved();
      }
    }
    return done;
  }

  private void tellOfRoomMade() {
    in.tell();
    if (in.isTimeToLook()) {
      VarHandle.fullFence();
      if (in.givesWantedRoom() && (long) LONG.getOpaque(memory, peerSleepsAt) != 0) {
        wakeOnce();
      }
    }
  }

  private void frame(int length) {
    if (length > capabilities.maxFrameBytes()) {
      throw new BrokenRing(
          "the peer sent a frame of "
              + length
              + " bytes; this end accepts at most maxFrameBytes = "
              + capabilities.maxFrameBytes());
    }
    if (!inbound.fits(length)) {
      abort("the system has no memory for a frame of %d bytes".formatted(length));
      return;
    }
    listener().onFrame(inbound.copy(memory, in.content(), length), 0, length);
  }

  private LinkListener listener() {
    if (listener == null) {
      throw new IllegalStateException("link is polled before it is open");
    }
    return listener;
  }

  /**
   * Ends the link, because the peer has broken the rules, or the memory is not accessible any more.
   */
  void broken(Throwable why) {
    if (why instanceof InternalError) {
      abort(
          "memory of the link, or memory that it transfers, is gone: its file was truncated, or its"
              + " disk is full");
    } else {
      counters.brokenRules.increment();
      abort(String.valueOf(why.getMessage()));
    }
  }

  @Override
  public void close() {
    flush();
    end(Records.CLOSED, "closed by this end");
  }

  @Override
  public void abort(String reason) {
    end(Records.ABORTED, reason);
  }

  private void end(int kind, String reason) {
    if (isClosed()) {
      return;
    }
    try {
      out.end(kind);
      wakePeer();
    } catch (InternalError e) {
      // The socket's end notifies the peer.
    }
    finish(reason);
  }

  private void finish(String reason) {
    closedBecause = reason;
    bulk.end();
    wakeup.close();
    whenClosed.run();
    if (listener != null) {
      listener.onClosed(reason);
    }
  }

  /** Returns whether its file still has its original length. */
  boolean isWhole() {
    return file.isWhole();
  }

  /** Unmaps the memory of a closed link. */
  void unmap() {
    file.unmap();
  }

  long mappedBytes() {
    return RingFile.bytes(file.ringBytes);
  }
}
