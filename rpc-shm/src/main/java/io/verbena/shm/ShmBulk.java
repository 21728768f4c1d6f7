package io.verbena.shm;

import io.verbena.link.BulkPort;
import io.verbena.link.BulkRegion;
import io.verbena.link.BulkTarget;
import io.verbena.link.LinkException;
import io.verbena.link.MemoryLife;
import io.verbena.link.NumberedMemory;
import io.verbena.link.NumberedTarget;
import io.verbena.link.RemoteTarget;
import io.verbena.link.SendResult;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import org.agrona.collections.Long2ObjectHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The bulk bytes of one end of a shared-memory link. They pass through its rings between its
 * frames. The sender copies them in, and the receiver copies them out into their target, both at
 * the same time. No memory is pinned. A target is fenced when it is closed, because only this end's
 * loop writes to it.
 */
final class ShmBulk implements BulkPort {
  private static final int MOST_CHUNK_BYTES = 64 << 10;

  private final ShmLink link;
  private final OutRing out;
  private final MemorySegment memory;
  private final int ringBytes;
  private final Long2ObjectHashMap<Target> open = new Long2ObjectHashMap<>();

  /** The callbacks of written pieces, to be called once the stack is unwound. */
  private final ArrayDeque<Runnable> written = new ArrayDeque<>();

  private long lastTarget;

  ShmBulk(ShmLink link, OutRing out, MemorySegment memory, int ringBytes) {
    this.link = link;
    this.out = out;
    this.memory = memory;
    this.ringBytes = ringBytes;
  }

  @Override
  public int chunkBytes() {
    return Math.min(MOST_CHUNK_BYTES, ringBytes / 8);
  }

  @Override
  public long windowBytes() {
    return ringBytes / 4;
  }

  @Override
  public boolean landsOnHeap() {
    return true;
  }

  @Override
  public BulkRegion attach(MemorySegment memory, MemoryLife life) throws LinkException {
    return BulkRegion.Plain.of(memory);
  }

  @Override
  public BulkTarget open(
      BulkRegion region, long offset, long length, BulkTarget.Listener listener) {
    if (length < 1) {
      throw new IllegalArgumentException("a target has at least 1 byte, not " + length);
    }
    Target target = new Target(++lastTarget, region.memory().asSlice(offset, length), listener);
    if (!link.isClosed()) {
      open.put(target.number, target);
    }
    return target;
  }

  @Override
  public RemoteTarget remote(ByteBuffer advertisement) throws LinkException {
    return NumberedTarget.read(advertisement);
  }

  @Override
  public SendResult write(
      RemoteTarget target,
      long at,
      BulkRegion source,
      long offset,
      int length,
      boolean checkpoint,
      Runnable whenWritten) {
    NumberedTarget remote = (NumberedTarget) target;
    remote.requireNext(at, length);
    if (link.isClosed()) {
      return SendResult.CLOSED;
    }
    try {
      if (!out.piece(remote.number, at, checkpoint, source.memory(), offset, length)) {
        link.flush();
        return SendResult.BACK_PRESSURED;
      }
    } catch (BrokenRing | InternalError e) {
      link.broken(e);
      return SendResult.CLOSED;
    }
    link.wakePeer();
    remote.wrote(length);
    written.add(whenWritten);
    return SendResult.SENT;
  }

  boolean hasWritten() {
    return !written.isEmpty();
  }

  /** Calls the callbacks of pieces that were written before; returns their number. */
  int tellOfWritten() {
    int due = written.size();
    int told = 0;
    while (told < due && !written.isEmpty()) {
      written.remove().run();
      told++;
    }
    return told;
  }

  /**
   * Takes a piece out of the ring.
   *
   * @param from the offset of its content in the memory
   * @param length the length of the content
   */
  void land(long from, int length, boolean checkpoint) {
    long number = memory.get(ValueLayout.JAVA_LONG, from);
    long at = memory.get(ValueLayout.JAVA_LONG, from + 8);
    int bytes = length - Records.PIECE_HEADER_BYTES;
    Target target = open.get(number);
    if (target == null) {
      if (number < 1 || number > lastTarget) {
        throw new BrokenRing("the peer wrote to target " + number + ", which was never opened");
      }
      return; // the target was closed meanwhile
    }
    if (!target.takesNext(at, bytes)) {
      throw new BrokenRing(target.misfit(at, bytes));
    }
    if (!target.memory.scope().isAlive()) {
      link.abort(
          "memory was freed while the peer's bulk bytes came in: keep its arena open until the"
              + " transfer has ended");
      return;
    }
    MemorySegment.copy(memory, from + Records.PIECE_HEADER_BYTES, target.memory, at, bytes);
    target.arrived(bytes, checkpoint);
  }

  /** The link is closed: nothing is read or written from here on. */
  void end() {
    written.clear();
    open.clear();
  }

  private final class Target extends NumberedMemory {
    Target(long number, MemorySegment memory, Listener listener) {
      super(number, memory, listener);
    }

    @Override
    public void close(Runnable whenFenced) {
      @Nullable Target _ = open.remove(number);
      whenFenced.run();
    }
  }
}
