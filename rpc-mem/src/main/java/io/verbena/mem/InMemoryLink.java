package io.verbena.mem;

import io.verbena.link.BulkPort;
import io.verbena.link.Link;
import io.verbena.link.LinkCapabilities;
import io.verbena.link.LinkDriver;
import io.verbena.link.LinkListener;
import io.verbena.link.SendResult;
import io.verbena.link.memory.Slot;
import io.verbena.link.runtime.ThrottledLog;
import java.nio.ByteBuffer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** One end of an in-memory link. */
final class InMemoryLink implements Link {
  private static final ThrottledLog FAILED =
      ThrottledLog.of(InMemoryLink.class, "listeners of links that failed");

  /** Owns links that nobody wants any more. */
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

  private final Circuit circuit;
  private final boolean clientEnd;
  private final FrameRing out;
  private final FrameRing in;
  private final String localAddress;
  private final String peerAddress;
  private final LinkCapabilities capabilities;
  private final InMemoryBulk bulk;
  private @Nullable LinkListener listener;
  private boolean receiving = true;

  /** It is on its way to another driver, and nothing is done meanwhile. */
  private boolean moving;

  private @Nullable String closedBecause;

  private InMemoryLink(Circuit circuit, boolean clientEnd, int maxFrameBytes) {
    this.circuit = circuit;
    this.clientEnd = clientEnd;
    this.out = clientEnd ? circuit.toServer : circuit.toClient;
    this.in = clientEnd ? circuit.toClient : circuit.toServer;
    String client = circuit.name + "#" + circuit.id;
    this.localAddress = clientEnd ? client : circuit.name;
    this.peerAddress = clientEnd ? circuit.name : client;
    // Not called encrypted, though nobody can listen: what stands for a plaintext TCP link in a
    // simulation may then upgrade as one would.
    this.capabilities = new LinkCapabilities(InMemoryNetwork.SCHEME, "", maxFrameBytes, false);
    this.bulk = new InMemoryBulk(this, circuit, clientEnd);
  }

  static InMemoryLink clientEnd(Circuit circuit, int maxFrameBytes) {
    return new InMemoryLink(circuit, true, maxFrameBytes);
  }

  static InMemoryLink serverEnd(Circuit circuit, int maxFrameBytes) {
    return new InMemoryLink(circuit, false, maxFrameBytes);
  }

  private InMemoryDriver driver() {
    return clientEnd ? circuit.client : circuit.server();
  }

  private InMemoryDriver peer() {
    return clientEnd ? circuit.server() : circuit.client;
  }

  /** Asks the owner for its listener; an owner may have closed the link by then. */
  void open(Function<Link, LinkListener> owner) {
    try {
      listener = owner.apply(this);
    } catch (RuntimeException e) {
      FAILED.error("Nobody took the link to {}; it is closed", peerAddress, e);
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

  /** Sends a piece of bulk behind everything sent so far; false when there is no room. */
  boolean send(BulkWrite write) {
    if (out.offer(write)) {
      return true;
    }
    flush();
    return false;
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
    // Later, since this may be called from within a frame.
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

  /** Has this end polled again. */
  void pollAgain() {
    driver().signal();
  }

  boolean isClosed() {
    return closedBecause != null;
  }

  /** Hands over what has arrived, tells of room and of the end. Returns how much was done. */
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
    // Read first: what was published before the end is then seen below.
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
      return receive(write);
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

  private boolean receive(BulkWrite write) {
    switch (bulk.receive(write)) {
      case TAKEN -> {
        in.take();
        return true; // its sender waits to hear that it was read
      }
      case WITHDRAWN -> {
        String end = in.end();
        finish(end == null ? "the peer aborted the link" : end, "the peer gave up");
      }
      case REFUSED -> abort("the peer wrote where nothing was open to it");
      case FAULT -> abort("bulk memory at one end cannot be read or written");
    }
    return false;
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
}
