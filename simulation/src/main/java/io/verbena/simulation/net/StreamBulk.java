package io.verbena.simulation.net;

import io.verbena.link.BulkPort;
import io.verbena.link.BulkRegion;
import io.verbena.link.BulkTarget;
import io.verbena.link.LinkException;
import io.verbena.link.MemoryLife;
import io.verbena.link.RemoteTarget;
import io.verbena.link.SendResult;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Bulk bytes of one end, as chunks of the stream. */
final class StreamBulk implements BulkPort {
  private static final int HEADER = 2 * Integer.BYTES + 2 * Long.BYTES + 1;

  private final StreamLink link;
  private final int chunkBytes;
  private final Map<Long, Target> open = new HashMap<>();
  private final ArrayDeque<Runnable> written = new ArrayDeque<>();
  private long lastTarget;
  private long underWay;
  private @Nullable Target target;
  private long at;
  private int missing;
  private boolean checkpoint;

  StreamBulk(StreamLink link, int chunkBytes) {
    this.link = link;
    this.chunkBytes = chunkBytes;
  }

  @Override
  public int chunkBytes() {
    return chunkBytes;
  }

  @Override
  public long windowBytes() {
    return 2L * chunkBytes;
  }

  @Override
  public boolean landsOnHeap() {
    return true;
  }

  @Override
  public BulkRegion attach(MemorySegment memory, MemoryLife life) throws LinkException {
    if (!memory.scope().isAlive()) {
      throw new LinkException("bulk bytes need memory that is not freed", null);
    }
    return new Region(memory);
  }

  private record Region(MemorySegment memory) implements BulkRegion {
    @Override
    public void release() {}
  }

  @Override
  public BulkTarget open(
      BulkRegion region, long offset, long length, BulkTarget.Listener listener) {
    Target made = new Target(++lastTarget, region.memory().asSlice(offset, length), listener);
    if (!link.isClosed()) {
      open.put(made.number, made);
    }
    return made;
  }

  @Override
  public RemoteTarget remote(ByteBuffer advertisement) throws LinkException {
    if (advertisement.remaining() != 2 * Long.BYTES) {
      throw new LinkException("an advertisement has 16 bytes here", null);
    }
    return new Remote(advertisement.getLong(), advertisement.getLong());
  }

  private static final class Remote implements RemoteTarget {
    private final long number;
    private final long length;
    private long next;

    Remote(long number, long length) {
      this.number = number;
      this.length = length;
    }

    @Override
    public long length() {
      return length;
    }
  }

  boolean hasRoom() {
    return underWay < windowBytes();
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
    Remote remote = (Remote) target;
    if (at != remote.next || length < 1 || length > remote.length - at) {
      throw new IllegalArgumentException(
          length + " bytes at " + at + " of a target written up to " + remote.next);
    }
    if (link.isClosed()) {
      return SendResult.CLOSED;
    }
    if (link.isFull() || (underWay > 0 && underWay + length > windowBytes())) {
      link.pushBack();
      return SendResult.BACK_PRESSURED;
    }
    ByteBuffer header = ByteBuffer.allocate(HEADER);
    header.putInt(-1).putInt(length).putLong(remote.number).putLong(at);
    header.put((byte) (checkpoint ? 1 : 0));
    link.add(MemorySegment.ofArray(header.array()), null);
    underWay += length;
    remote.next += length;
    link.add(
        source.memory().asSlice(offset, length),
        () -> {
          underWay -= length;
          whenWritten.run();
        });
    link.drain();
    return SendResult.SENT;
  }

  /** A piece is written; its owner hears later. */
  void written(Runnable whenWritten) {
    written.add(whenWritten);
    link.signal();
  }

  int tell() {
    int told = 0;
    Runnable next;
    while (!link.isClosed() && (next = written.poll()) != null) {
      next.run();
      told++;
    }
    return told;
  }

  /** Begins a chunk; returns what is wrong with it. */
  @Nullable String begin(int length, long number, long at, boolean checkpoint) {
    Target to = open.get(number);
    if (length < 1 || number < 1 || number > lastTarget) {
      return "the peer sent bulk bytes for target " + number + ", which was never open";
    }
    if (to != null && (at != to.arrived || length > to.memory.byteSize() - at)) {
      return "the peer sent bulk bytes for offset " + at + ", where " + to.arrived + " is next";
    }
    target = to;
    this.at = at;
    this.checkpoint = checkpoint;
    missing = length;
    return null;
  }

  int land(byte[] bytes, int from, int there) {
    int took = Math.min(there, missing);
    Target to = target;
    if (to != null) {
      MemorySegment.copy(MemorySegment.ofArray(bytes), from, to.memory, at, took);
    }
    at += took;
    missing -= took;
    return took;
  }

  boolean isWhole() {
    return missing == 0;
  }

  void endChunk() {
    Target to = target;
    target = null;
    if (to != null) {
      to.arrived = at;
      if (checkpoint) {
        to.listener.onArrived(at);
      }
    }
  }

  void end() {
    open.clear();
    written.clear();
    target = null;
  }

  private final class Target implements BulkTarget {
    private final long number;
    private final MemorySegment memory;
    private final Listener listener;
    private long arrived;

    Target(long number, MemorySegment memory, Listener listener) {
      this.number = number;
      this.memory = memory;
      this.listener = listener;
    }

    @Override
    public byte[] advertisement() {
      return ByteBuffer.allocate(2 * Long.BYTES).putLong(number).putLong(memory.byteSize()).array();
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // the very chunk's
    public void close(Runnable whenFenced) {
      open.remove(number);
      if (target == this) {
        target = null;
      }
      whenFenced.run();
    }
  }
}
