package io.verbena.mem;

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
import org.agrona.collections.Long2ObjectHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Bulk bytes of one end of an in-memory link. They pass through the same ring as its frames, by
 * reference, and are copied once, by the receiving end.
 *
 * <p>An advertisement, big-endian: who opened the target (8 bytes), its number (8), its length (8).
 *
 * <p>Nothing here needs time to be fenced. A fence is told at the next poll all the same, so that
 * whoever uses this link learns to wait for it.
 */
final class InMemoryBulk implements BulkPort {
  private static final int ADVERTISEMENT_BYTES = 3 * Long.BYTES;
  private static final int WINDOW_CHUNKS = 4;

  private final InMemoryLink link;
  private final InMemoryNetwork network;
  private final long self;
  private final long peer;
  private final Long2ObjectHashMap<Target> open = new Long2ObjectHashMap<>();
  private final ArrayDeque<BulkWrite> underWay = new ArrayDeque<>();
  private final ArrayDeque<Runnable> fences = new ArrayDeque<>();
  private long lastTarget;

  /** What became of a piece that arrived. */
  enum Arrival {
    TAKEN,
    WITHDRAWN,
    REFUSED,
    FAULT
  }

  InMemoryBulk(InMemoryLink link, Circuit circuit, boolean clientEnd) {
    this.link = link;
    this.network = circuit.network;
    this.self = circuit.id * 2 + (clientEnd ? 0 : 1);
    this.peer = self ^ 1;
  }

  @Override
  public int chunkBytes() {
    return network.chunkBytes();
  }

  @Override
  public long windowBytes() {
    return (long) WINDOW_CHUNKS * network.chunkBytes();
  }

  @Override
  public boolean landsOnHeap() {
    return network.landsOnHeap();
  }

  @Override
  public BulkRegion attach(MemorySegment memory, MemoryLife life) {
    if (!memory.isNative() && !landsOnHeap()) {
      throw new IllegalArgumentException("bulk memory is native; copy what is on the heap");
    }
    return new Region(memory);
  }

  @Override
  public BulkTarget open(
      BulkRegion region, long offset, long length, BulkTarget.Listener listener) {
    if (length < 1) {
      throw new IllegalArgumentException("a target has at least 1 byte, not " + length);
    }
    Target target = new Target(++lastTarget, region.memory().asSlice(offset, length), listener);
    if (!link.isClosed()) {
      open.put(target.id, target);
    }
    return target;
  }

  @Override
  public RemoteTarget remote(ByteBuffer advertisement) throws LinkException {
    int size = advertisement.remaining();
    if (size != ADVERTISEMENT_BYTES) {
      throw new LinkException("an advertisement of " + size + " bytes: the peer is broken", null);
    }
    long owner = advertisement.getLong();
    Remote remote = new Remote(advertisement.getLong(), advertisement.getLong());
    if (owner != peer || remote.id < 1 || remote.length < 1) {
      throw new LinkException("an advertisement that is not of this link's peer", null);
    }
    return remote;
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
          "%d bytes at %d of a target of %d that is written up to %d"
              .formatted(length, at, remote.length, remote.next));
    }
    if (link.isClosed()) {
      return SendResult.CLOSED;
    }
    MemorySegment piece = source.memory().asSlice(offset, length);
    BulkWrite write = new BulkWrite(remote.id, at, piece, checkpoint, whenWritten);
    if (!link.send(write)) {
      return SendResult.BACK_PRESSURED;
    }
    remote.next += length;
    underWay.add(write);
    return SendResult.SENT;
  }

  // ---- from the link ----

  /** Tells of fences and of what was written; returns how much. */
  int poll() {
    int told = 0;
    for (int due = fences.size(); due > 0 && !fences.isEmpty(); due--, told++) {
      fences.remove().run();
    }
    BulkWrite first;
    while ((first = underWay.peek()) != null && first.isDone()) {
      underWay.remove();
      first.whenWritten.run();
      told++;
    }
    return told;
  }

  Arrival receive(BulkWrite write) {
    Target target = open.get(write.target);
    if (target == null && write.target <= lastTarget && write.target > 0) {
      write.done(); // the target was closed while this was on its way
      return Arrival.TAKEN;
    }
    if (target == null
        || write.at != target.arrived
        || write.length > target.memory.byteSize() - write.at) {
      network.writeRefused();
      return Arrival.REFUSED;
    }
    try {
      if (!write.copyTo(target.memory.asSlice(write.at, write.length))) {
        return Arrival.WITHDRAWN;
      }
    } catch (InternalError e) { // a mapped file has become shorter, at either end
      return Arrival.FAULT;
    }
    write.done();
    target.arrived += write.length;
    if (write.checkpoint) {
      target.listener.onArrived(target.arrived);
    }
    return Arrival.TAKEN;
  }

  /** The link closes in order: what was sent arrives though its memory may go. */
  void keepWhatWasSent() {
    underWay.forEach(BulkWrite::keep);
    underWay.clear();
  }

  /** The link is closed: nothing is read or written from here on. */
  void end() {
    underWay.forEach(BulkWrite::withdraw);
    underWay.clear();
    open.clear();
    Runnable fence;
    while ((fence = fences.poll()) != null) {
      fence.run();
    }
  }

  private record Region(MemorySegment memory) implements BulkRegion {
    @Override
    public void release() {}
  }

  private static final class Remote implements RemoteTarget {
    final long id;
    final long length;
    long next;

    Remote(long id, long length) {
      this.id = id;
      this.length = length;
    }

    @Override
    public long length() {
      return length;
    }
  }

  private final class Target implements BulkTarget {
    final long id;
    final MemorySegment memory;
    final Listener listener;
    long arrived;

    Target(long id, MemorySegment memory, Listener listener) {
      this.id = id;
      this.memory = memory;
      this.listener = listener;
    }

    @Override
    public byte[] advertisement() {
      return ByteBuffer.allocate(ADVERTISEMENT_BYTES)
          .putLong(self)
          .putLong(id)
          .putLong(memory.byteSize())
          .array();
    }

    @Override
    public void close(Runnable whenFenced) {
      @Nullable Target was = open.remove(id);
      if (link.isClosed() || was == null) {
        whenFenced.run();
      } else {
        fences.add(whenFenced);
        link.pollAgain();
      }
    }
  }
}
