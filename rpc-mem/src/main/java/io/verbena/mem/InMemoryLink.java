package io.verbena.mem;

import io.verbena.link.BulkPort;
import io.verbena.link.BulkRegion;
import io.verbena.link.BulkTarget;
import io.verbena.link.Link;
import io.verbena.link.LinkCapabilities;
import io.verbena.link.LinkDriver;
import io.verbena.link.LinkException;
import io.verbena.link.LinkListener;
import io.verbena.link.MemoryLife;
import io.verbena.link.NumberedMemory;
import io.verbena.link.NumberedTarget;
import io.verbena.link.RemoteTarget;
import io.verbena.link.SendResult;
import io.verbena.link.memory.Slot;
import io.verbena.link.runtime.ThrottledLog;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.function.Function;
import org.agrona.collections.Long2ObjectHashMap;
import org.jspecify.annotations.Nullable;

/** One end of an in-memory link. */
final class InMemoryLink implements Link {
  private static final ThrottledLog FAILED =
      ThrottledLog.of(InMemoryLink.class, "listeners of links that failed");

  /** The owner of links that are not needed any more. */
  static final Function<Link, LinkListener> NOBODY =
      link ->
          new LinkListener() {
            @Override
            public void onFrame(ByteBuffer buffer, int from, int to) {}

            @Override
            public void onWritable() {}

            @Override
            public void onClosed(String reason) {}
          };

  private static final int ADVERTISEMENT_BYTES = 3 * Long.BYTES;
  private static final int WINDOW_CHUNKS = 4;

  private final Circuit circuit;
  private final boolean clientEnd;
  private final FrameRing out;
  private final FrameRing in;
  private final String localAddress;
  private final String peerAddress;
  private final LinkCapabilities capabilities;
  private final Bulk bulk;
  private @Nullable LinkListener listener;
  private boolean receiving = true;

  /** The link moves to another driver; nothing is done meanwhile. */
  private boolean moving;

  private @Nullable String closedBecause;

  InMemoryLink(Circuit circuit, boolean clientEnd, int maxFrameBytes) {
    this.circuit = circuit;
    this.clientEnd = clientEnd;
    this.out = clientEnd ? circuit.toServer : circuit.toClient;
    this.in = clientEnd ? circuit.toClient : circuit.toServer;
    String client = circuit.name + "#" + circuit.id;
    this.localAddress = clientEnd ? client : circuit.name;
    this.peerAddress = clientEnd ? circuit.name : client;
    // Not called encrypted, though it cannot be overheard. So a link that stands for a plaintext
    // TCP link in a simulation upgrades like one.
    this.capabilities = new LinkCapabilities(InMemoryNetwork.SCHEME, "", maxFrameBytes, false);
    this.bulk = new Bulk();
  }

  private InMemoryDriver driver() {
    return clientEnd ? circuit.client : circuit.server();
  }

  private InMemoryDriver peer() {
    return clientEnd ? circuit.server() : circuit.client;
  }

  /** Asks the owner for its listener. The owner may close the link meanwhile. */
  void open(Function<Link, LinkListener> owner) {
    try {
      listener = owner.apply(this);
    } catch (RuntimeException e) {
      FAILED.error("The owner of the link to {} failed; the link is closed", peerAddress, e);
      listener = NOBODY.apply(this);
      abort("its owner failed: " + e);
    }
    if (closedBecause != null) {
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
  public SendResult send(Slot slot) {
    capabilities.requireFrame(slot.length());
    if (isClosed()) {
      return SendResult.CLOSED;
    }
    if (out.offer(slot)) {
      return SendResult.SENT;
    }
    flush();
    return SendResult.BACK_PRESSURED;
  }

  @Override
  public BulkPort bulk() {
    return bulk;
  }

  @Override
  public void flush() {
    if (!isClosed() && out.publish()) {
      peer().signal();
    }
  }

  @Override
  public void setReceiving(boolean receiving) {
    this.receiving = receiving;
    if (receiving) {
      driver().signal();
    }
  }

  @Override
  public void moveTo(LinkDriver other, Runnable there) {
    if (clientEnd) {
      throw new UnsupportedOperationException("only the end that was accepted moves");
    }
    moving = true;
    InMemoryDriver next = (InMemoryDriver) other;
    // Later, because this may be called from within a frame.
    driver().post(() -> leave(next, there));
  }

  private void leave(InMemoryDriver next, Runnable there) {
    if (next.isClosed()) {
      abort("the event loop that it was to move to is closed");
    } else if (!isClosed()) {
      driver().left(this);
      circuit.serverMoves(next);
      next.post(() -> arrive(next, there));
    }
  }

  private void arrive(InMemoryDriver next, Runnable there) {
    moving = false;
    next.opened(this);
    there.run();
  }

  @Override
  public void close() {
    bulk.keepWhatWasSent();
    flush();
    finish("closed by this end", "the peer closed the link");
  }

  @Override
  public void abort(String reason) {
    finish(reason, "the peer aborted the link");
  }

  boolean isClosed() {
    return closedBecause != null;
  }

  /**
   * Hands over arrived frames, and notifies of room and of the end. Returns the number of events.
   */
  int poll() {
    if (isClosed() || moving) {
      return 0;
    }
    String dropped = circuit.dropped();
    if (dropped != null) {
      finish(dropped, dropped);
      return 1;
    }
    if (circuit.stalled()) {
      return 0;
    }
    try {
      return bulk.poll() + tellOfRoom() + receive();
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
    // Read first, so that all that was published before the end is seen below.
    String end = in.end();
    long published = in.published();
    int frames = 0;
    boolean wakePeer = false;
    while (receiving && !moving && !isClosed() && in.taken() < published) {
      wakePeer |= receiveOne();
      frames++;
    }
    if (wakePeer) {
      peer().signal();
    }
    if (end != null && !moving && in.taken() == published) {
      finish(end, end);
      frames++;
    }
    return frames;
  }

  private boolean receiveOne() {
    BulkWrite write = in.write();
    if (write != null) {
      return bulk.receive(write);
    }
    int length = in.frameLength();
    if (length > capabilities.maxFrameBytes()) {
      abort(
          "the peer sent a frame of "
              + length
              + " bytes; this end accepts at most maxFrameBytes = "
              + capabilities.maxFrameBytes());
      return false;
    }
    listener().onFrame(in.frame(), 0, length);
    return in.take();
  }

  private LinkListener listener() {
    if (listener == null) {
      throw new IllegalStateException("link is polled before it is open");
    }
    return listener;
  }

  private void finish(String reason, String reasonForPeer) {
    if (isClosed()) {
      return;
    }
    closedBecause = reason;
    out.end(reasonForPeer);
    bulk.end();
    peer().signal();
    circuit.endClosed();
    driver().linkClosed();
    if (listener != null) {
      listener.onClosed(reason);
    }
  }

  /**
   * The bulk bytes of one end of an in-memory link. They pass through the same ring as its frames,
   * by reference. The receiving end copies them once.
   *
   * <p>An advertisement, big-endian: the end that opened the target (8 bytes), the target's number
   * (8), its length (8).
   *
   * <p>A target could be fenced at once. The fence is nevertheless reported at the next poll, so
   * that users of this link learn to wait for it.
   */
  private final class Bulk implements BulkPort {
    private final InMemoryNetwork network = driver().network;
    private final long self = circuit.id * 2 + (clientEnd ? 0 : 1);
    private final Long2ObjectHashMap<Target> open = new Long2ObjectHashMap<>();
    private final ArrayDeque<BulkWrite> underWay = new ArrayDeque<>();
    private final ArrayDeque<Runnable> fences = new ArrayDeque<>();
    private long lastTarget;

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
      return new BulkRegion.Plain(memory);
    }

    @Override
    public BulkTarget open(
        BulkRegion region, long offset, long length, BulkTarget.Listener listener) {
      if (length < 1) {
        throw new IllegalArgumentException("a target has at least 1 byte, not " + length);
      }
      Target target = new Target(++lastTarget, region.memory().asSlice(offset, length), listener);
      if (!isClosed()) {
        open.put(target.number, target);
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
      NumberedTarget remote = new NumberedTarget(advertisement.getLong(), advertisement.getLong());
      if (owner != (self ^ 1) || remote.number < 1 || remote.length() < 1) {
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
      NumberedTarget remote = (NumberedTarget) target;
      remote.requireNext(at, length);
      if (isClosed()) {
        return SendResult.CLOSED;
      }
      MemorySegment piece = source.memory().asSlice(offset, length);
      BulkWrite write = new BulkWrite(remote.number, at, piece, checkpoint, whenWritten);
      if (!out.offer(write)) {
        flush();
        return SendResult.BACK_PRESSURED;
      }
      remote.wrote(length);
      underWay.add(write);
      return SendResult.SENT;
    }

    /** Notifies of fences and of written pieces; returns their number. */
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

    /** Takes the oldest piece; returns whether its sender is notified that it was read. */
    boolean receive(BulkWrite write) {
      Target target = open.get(write.target);
      if (target == null && write.target <= lastTarget && write.target > 0) {
        write.done(); // the target was closed meanwhile
      } else if (!land(write, target)) {
        return false;
      }
      in.take();
      return true;
    }

    private boolean land(BulkWrite write, @Nullable Target target) {
      if (target == null || !target.takesNext(write.at, write.length)) {
        abort("the peer wrote where nothing was open to it");
        return false;
      }
      try {
        if (!write.copyTo(target.memory.asSlice(write.at, write.length))) {
          String end = in.end();
          finish(end == null ? "the peer aborted the link" : end, "the peer gave up");
          return false;
        }
      } catch (InternalError e) { // a mapped file was truncated, at either end
        abort("bulk memory at one end cannot be read or written");
        return false;
      }
      write.done();
      target.arrived(write.length, write.checkpoint);
      return true;
    }

    /** The link closes in order, so sent pieces arrive although their memory may go. */
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

    private final class Target extends NumberedMemory {
      Target(long number, MemorySegment memory, Listener listener) {
        super(number, memory, listener);
      }

      @Override
      public byte[] advertisement() {
        return ByteBuffer.allocate(ADVERTISEMENT_BYTES)
            .putLong(self)
            .putLong(number)
            .putLong(memory.byteSize())
            .array();
      }

      @Override
      public void close(Runnable whenFenced) {
        @Nullable Target was = open.remove(number);
        if (isClosed() || was == null) {
          whenFenced.run();
        } else {
          fences.add(whenFenced);
          driver().signal();
        }
      }
    }
  }
}
