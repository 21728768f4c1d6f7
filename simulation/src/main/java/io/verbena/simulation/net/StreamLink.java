package io.verbena.simulation.net;

import io.verbena.link.BulkPort;
import io.verbena.link.Link;
import io.verbena.link.LinkCapabilities;
import io.verbena.link.LinkDriver;
import io.verbena.link.LinkListener;
import io.verbena.link.SendResult;
import io.verbena.link.memory.Slot;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
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
  /** What waits for the socket before it is pushed back. */
  private static final int HIGH_WATER = 256 << 10;

  private static final int READ_AT_ONCE = 256 << 10;

  private StreamDriver driver;
  private final StreamEnd end;
  private final LinkCapabilities capabilities;
  private final StreamBulk bulk;
  private final StreamReader reader;
  private final ArrayDeque<Piece> queue = new ArrayDeque<>();
  private int queued;
  private @Nullable LinkListener listener;
  private @Nullable String closedBecause;
  private boolean receiving = true;
  private boolean pushedBack;
  private boolean endsWhenSent;

  /** Where it goes on as soon as its driver is not amid it any more. */
  private @Nullable Move move;

  private record Move(StreamDriver to, Runnable there) {}

  /** Bytes that wait for the socket, read from where they are. */
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
    this.bulk = new StreamBulk(this, driver.chunkBytes());
    this.reader = new StreamReader(this, bulk, maxFrameBytes);
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

  boolean isFull() {
    return queued >= HIGH_WATER;
  }

  void pushBack() {
    pushedBack = true;
  }

  void add(MemorySegment bytes, @Nullable Runnable whenWritten) {
    queue.add(new Piece(bytes, whenWritten));
    queued += (int) bytes.byteSize();
  }

  @Override
  public void flush() {
    drain();
  }

  /** Gives the socket as much as it takes; returns whether it took any. */
  boolean drain() {
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

  void signal() {
    driver.signal();
  }

  boolean isClosed() {
    return closedBecause != null;
  }

  boolean isReceiving() {
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

  /** Has another driver go on with it, if it was told to. */
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
    end.belongsTo(driver);
    driver.arrives(this, due.there);
  }

  /** Does what is ready; returns how much. */
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
        finish("the peer closed the connection" + reader.inTheMiddle());
        return 1;
      }
      int took = reader.read(bytes, end.in.readFrom());
      end.in.took(took);
      budget -= took;
    }
    if (budget < READ_AT_ONCE) {
      driver.signal(); // there may be more
      return 1;
    }
    return 0;
  }

  LinkListener listener() {
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
    // What is sent arrives though its memory may go.
    for (Piece piece : queue) {
      piece.left =
          MemorySegment.ofArray(piece.left.toArray(java.lang.foreign.ValueLayout.JAVA_BYTE));
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
}
