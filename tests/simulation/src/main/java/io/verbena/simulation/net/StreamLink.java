package io.verbena.simulation.net;

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
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One end of a connection that carries frames and bulk chunks.
 *
 * <pre>
 *   frame:  length (4) | bytes
 *   chunk:  -1 (4) | length (4) | target (8) | at (8) | checkpoint (1) | bytes
 * </pre>
 */
final class StreamLink implements Link {
  /** The bytes that may wait for the socket before senders are stopped. */
  private static final int HIGH_WATER = 256 << 10;

  private static final int READ_AT_ONCE = 256 << 10;
  private static final int LEAST_GATHERED = 256;
  private static final int MOST_KEPT = 4096;
  private static final int CHUNK_HEADER = Integer.BYTES + 2 * Long.BYTES + 1;

  private StreamDriver driver;
  private final StreamEnd end;
  private final LinkCapabilities capabilities;
  private final Bulk bulk;
  private final ArrayDeque<Piece> queue = new ArrayDeque<>();
  private int queued;
  private @Nullable LinkListener listener;
  private @Nullable String closedBecause;
  private boolean receiving = true;
  private boolean pushedBack;
  private boolean endsWhenSent;

  /** The move to another driver, as soon as this driver has left the link. */
  private @Nullable Move move;

  // The state of the parser for frames and chunks.
  private State state = State.LENGTH;
  private ByteBuffer gathered = ByteBuffer.allocate(LEAST_GATHERED);
  private int wanted = Integer.BYTES;

  private enum State {
    LENGTH,
    FRAME,
    CHUNK_HEADER,
    CHUNK
  }

  private record Move(StreamDriver to, Runnable there) {}

  /** Bytes that wait for the socket, in their original place. */
  private static final class Piece {
    private MemorySegment left;
    private final @Nullable Runnable whenWritten;

    Piece(MemorySegment bytes, @Nullable Runnable whenWritten) {
      this.left = bytes;
      this.whenWritten = whenWritten;
    }
  }

  StreamLink(StreamDriver driver, StreamEnd end, int maxFrameBytes) {
    this.driver = driver;
    this.end = end;
    this.capabilities = new LinkCapabilities(VirtualNetwork.SCHEME, "", maxFrameBytes, false);
    this.bulk = new Bulk(driver.chunkBytes());
  }

  void open(Function<Link, LinkListener> owner) {
    driver.opened(this);
    LinkListener mine = owner.apply(this);
    listener = mine;
    if (closedBecause != null) {
      mine.onClosed(closedBecause);
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
    return end.localAddress;
  }

  @Override
  public String peerAddress() {
    return end.peerAddress;
  }

  @Override
  public BulkPort bulk() {
    return bulk;
  }

  @Override
  public SendResult send(Slot slot) {
    capabilities.requireFrame(slot.length());
    if (closedBecause != null) {
      return SendResult.CLOSED;
    }
    if (isFull()) {
      pushedBack = true;
      return SendResult.BACK_PRESSURED;
    }
    byte[] bytes = new byte[Integer.BYTES + slot.length()];
    ByteBuffer.wrap(bytes).putInt(slot.length());
    slot.buffer().get(0, bytes, Integer.BYTES, slot.length());
    add(MemorySegment.ofArray(bytes), null);
    return SendResult.SENT;
  }

  private boolean isFull() {
    return queued >= HIGH_WATER;
  }

  private void add(MemorySegment bytes, @Nullable Runnable whenWritten) {
    queue.add(new Piece(bytes, whenWritten));
    queued += (int) bytes.byteSize();
  }

  @Override
  public void flush() {
    drain();
  }

  /** Writes as much as the socket accepts. Returns whether it accepted any bytes. */
  private boolean drain() {
    boolean some = false;
    Piece first;
    while ((first = queue.peek()) != null && end.out.room() > 0) {
      int bytes = (int) Math.min(first.left.byteSize(), end.out.segment());
      byte[] copy = new byte[bytes];
      MemorySegment.copy(first.left, 0, MemorySegment.ofArray(copy), 0, bytes);
      end.host().leaves(copy);
      end.out.write(copy);
      queued -= bytes;
      some = true;
      first.left = first.left.asSlice(bytes);
      if (first.left.byteSize() == 0) {
        queue.remove();
        if (first.whenWritten != null) {
          bulk.written(first.whenWritten);
        }
      }
    }
    if (queue.isEmpty() && endsWhenSent) {
      endsWhenSent = false;
      end.out.end();
      end.released();
      driver.ended(this);
    }
    return some;
  }

  private boolean isReceiving() {
    return receiving && move == null && closedBecause == null;
  }

  @Override
  public void setReceiving(boolean receiving) {
    this.receiving = receiving;
    if (receiving) {
      driver.signal();
    }
  }

  @Override
  public void moveTo(LinkDriver other, Runnable there) {
    move = new Move((StreamDriver) other, there);
    driver.signal();
  }

  /** Hands the link to another driver, if that was requested. */
  void leave() {
    Move due = move;
    move = null;
    if (due == null || closedBecause != null) {
      return;
    }
    if (due.to.isGone()) {
      abort("the event loop that it was to move to is closed");
      return;
    }
    driver.ended(this);
    driver = due.to;
    end.setDriver(driver);
    driver.arrives(this, due.there);
  }

  /** Does the work that is ready. Returns its amount. */
  int poll() {
    if (closedBecause != null) {
      if (end.isReset()) {
        queue.clear();
        driver.ended(this);
      } else {
        drain();
      }
      return 0;
    }
    if (end.isReset()) {
      finish("the connection was lost: reset by peer");
      return 1;
    }
    int work = drain() ? 1 : 0;
    work += bulk.tell();
    if (closedBecause == null && pushedBack && !isFull() && bulk.hasRoom()) {
      pushedBack = false;
      listener().onWritable();
      work++;
    }
    return work + read();
  }

  private int read() {
    int budget = READ_AT_ONCE;
    byte[] bytes;
    while (isReceiving() && budget > 0 && (bytes = end.in.next()) != null) {
      if (end.in.isEnd(bytes)) {
        boolean between = state == State.LENGTH && gathered.position() == 0;
        finish("the peer closed the connection" + (between ? "" : " in the middle of a frame"));
        return 1;
      }
      int took = take(bytes, end.in.readFrom());
      end.in.took(took);
      budget -= took;
    }
    if (budget < READ_AT_ONCE) {
      driver.signal(); // there may be more
      return 1;
    }
    return 0;
  }

  /** Parses some of these bytes from an offset. Returns the number of parsed bytes. */
  private int take(byte[] bytes, int from) {
    int there = bytes.length - from;
    if (state == State.CHUNK) {
      int took = bulk.land(bytes, from, there);
      if (bulk.isWhole()) {
        next(State.LENGTH, Integer.BYTES);
        bulk.endChunk();
      }
      return took;
    }
    int took = Math.min(there, wanted - gathered.position());
    gathered.put(bytes, from, took);
    if (gathered.position() == wanted) {
      complete();
    }
    return took;
  }

  private void complete() {
    switch (state) {
      case LENGTH -> {
        int length = gathered.getInt(0);
        if (length == -1) {
          next(State.CHUNK_HEADER, CHUNK_HEADER);
        } else if (length < 1 || length > capabilities.maxFrameBytes()) {
          abort("the peer announced a frame of " + length + " bytes");
        } else {
          next(State.FRAME, length);
        }
      }
      case FRAME -> {
        int length = wanted;
        ByteBuffer frame = gathered;
        gathered = ByteBuffer.allocate(Math.max(LEAST_GATHERED, Math.min(length, MOST_KEPT)));
        next(State.LENGTH, Integer.BYTES);
        listener().onFrame(frame, 0, length);
      }
      case CHUNK_HEADER -> {
        gathered.flip();
        String wrong =
            bulk.begin(
                gathered.getInt(), gathered.getLong(), gathered.getLong(), gathered.get() != 0);
        if (wrong != null) {
          abort(wrong);
        } else {
          next(State.CHUNK, 0);
        }
      }
      case CHUNK -> throw new AssertionError("chunks are not gathered");
    }
  }

  private void next(State state, int wanted) {
    this.state = state;
    this.wanted = wanted;
    gathered.clear();
    if (gathered.capacity() < wanted) {
      gathered = ByteBuffer.allocate(wanted);
    }
  }

  private LinkListener listener() {
    LinkListener mine = listener;
    if (mine == null) {
      throw new IllegalStateException("a link is read before it is open");
    }
    return mine;
  }

  @Override
  public void close() {
    if (closedBecause != null) {
      return;
    }
    // Sent bytes arrive even if their memory is freed.
    for (Piece piece : queue) {
      piece.left = MemorySegment.ofArray(piece.left.toArray(ValueLayout.JAVA_BYTE));
    }
    endsWhenSent = true;
    tellOfEnd("closed by this end");
    drain();
  }

  @Override
  public void abort(String reason) {
    if (closedBecause == null) {
      queue.clear();
      end.kill();
      driver.ended(this);
      tellOfEnd(reason);
    }
  }

  private void finish(String reason) {
    if (closedBecause == null) {
      queue.clear();
      end.out.end();
      end.released();
      driver.ended(this);
      tellOfEnd(reason);
    }
  }

  private void tellOfEnd(String reason) {
    closedBecause = reason;
    bulk.end();
    if (listener != null) {
      listener.onClosed(reason);
    }
  }

  /** The bulk bytes of one end, as chunks of the stream. */
  private final class Bulk implements BulkPort {
    private final int chunkBytes;
    private final Map<Long, Target> open = new HashMap<>();
    private final ArrayDeque<Runnable> written = new ArrayDeque<>();
    private long lastTarget;
    private long underWay;
    private @Nullable Target target;
    private long at;
    private int missing;
    private boolean checkpoint;

    Bulk(int chunkBytes) {
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
      return new BulkRegion.Plain(memory);
    }

    @Override
    public BulkTarget open(
        BulkRegion region, long offset, long length, BulkTarget.Listener listener) {
      Target made = new Target(++lastTarget, region.memory().asSlice(offset, length), listener);
      if (closedBecause == null) {
        open.put(made.number, made);
      }
      return made;
    }

    @Override
    public RemoteTarget remote(ByteBuffer advertisement) throws LinkException {
      return NumberedTarget.read(advertisement);
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
      NumberedTarget remote = (NumberedTarget) target;
      remote.requireNext(at, length);
      if (closedBecause != null) {
        return SendResult.CLOSED;
      }
      if (isFull() || (underWay > 0 && underWay + length > windowBytes())) {
        pushedBack = true;
        return SendResult.BACK_PRESSURED;
      }
      ByteBuffer header = ByteBuffer.allocate(Integer.BYTES + CHUNK_HEADER);
      header.putInt(-1).putInt(length).putLong(remote.number).putLong(at);
      header.put((byte) (checkpoint ? 1 : 0));
      add(MemorySegment.ofArray(header.array()), null);
      underWay += length;
      remote.wrote(length);
      add(
          source.memory().asSlice(offset, length),
          () -> {
            underWay -= length;
            whenWritten.run();
          });
      drain();
      return SendResult.SENT;
    }

    /** Records that a piece is written. Its owner is notified later. */
    void written(Runnable whenWritten) {
      written.add(whenWritten);
      driver.signal();
    }

    int tell() {
      int told = 0;
      Runnable next;
      while (closedBecause == null && (next = written.poll()) != null) {
        next.run();
        told++;
      }
      return told;
    }

    /** Begins a chunk. Returns an error, if it is malformed. */
    @Nullable String begin(int length, long number, long at, boolean checkpoint) {
      Target to = open.get(number);
      if (length < 1 || number < 1 || number > lastTarget) {
        return "the peer sent bulk bytes for target " + number + ", which was never open";
      }
      if (to != null && !to.takesNext(at, length)) {
        return "the peer sent bulk bytes for offset " + at + ", where " + to.arrived() + " is next";
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
        to.arrived(at - to.arrived(), checkpoint);
      }
    }

    void end() {
      open.clear();
      written.clear();
      target = null;
    }

    private final class Target extends NumberedMemory {
      Target(long number, MemorySegment memory, Listener listener) {
        super(number, memory, listener);
      }

      @Override
      @SuppressWarnings("ReferenceEquality") // it must be the same object
      public void close(Runnable whenFenced) {
        open.remove(number);
        if (target == this) {
          target = null;
        }
        whenFenced.run();
      }
    }
  }
}
