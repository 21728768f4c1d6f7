package io.verbena.core;

import io.verbena.core.loop.EventLoop;
import io.verbena.link.Link;
import io.verbena.link.LinkCapabilities;
import io.verbena.link.LinkDriver.AcceptHandler;
import io.verbena.link.LinkDriver.ConnectHandler;
import io.verbena.link.LinkListener;
import io.verbena.link.SendResult;
import io.verbena.link.memory.Slot;
import io.verbena.link.runtime.ThrottledLog;
import java.nio.ByteBuffer;
import java.security.cert.X509Certificate;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One end of a link between two sessions of one loop, for a client of another protocol. It moves no
 * bulk bytes, so values of any length are part of their message. On the loop.
 *
 * <p>The in-memory link does not serve here. Its ends belong to drivers, which each loop would have
 * to poll, and to a network of their own, whose names are their addresses. Each of its links
 * allocates two rings for frames. The core would need its module, too.
 */
final class LocalLink implements Link {
  private static final ThrottledLog FAILED =
      ThrottledLog.of(LocalLink.class, "listeners of local links that failed");

  /** The largest number of frames that wait for the other end. */
  private static final int MOST_WAITING = 256;

  private final EventLoop loop;
  private final String localAddress;
  private final String peerAddress;
  private final List<X509Certificate> peerCertificates;
  private final LinkCapabilities capabilities;
  private final ArrayDeque<ByteBuffer> arrived = new ArrayDeque<>();
  private @Nullable LocalLink peer;
  private @Nullable LinkListener listener;
  private boolean receiving = true;
  private boolean delivering;

  /** Whether it has refused a frame and must report when there is room. */
  private boolean pushedBack;

  /** The reason why the link ends after the frames that have arrived. */
  private @Nullable String ends;

  private @Nullable String closedBecause;

  private LocalLink(
      EventLoop loop,
      LinkCapabilities capabilities,
      String localAddress,
      String peerAddress,
      List<X509Certificate> peerCertificates) {
    this.loop = loop;
    this.capabilities = capabilities;
    this.localAddress = localAddress;
    this.peerAddress = peerAddress;
    this.peerCertificates = peerCertificates;
  }

  /**
   * Opens a link, a little later.
   *
   * @param as the client that the accepting end sees, with its address and certificates
   * @param capabilities of both ends
   */
  static void open(
      EventLoop loop,
      LinkCapabilities capabilities,
      String address,
      Remote as,
      ConnectHandler connecting,
      AcceptHandler accepting) {
    LocalLink client = new LocalLink(loop, capabilities, as.address(), address, List.of());
    LocalLink server =
        new LocalLink(loop, capabilities, address, as.address(), List.copyOf(as.certificates()));
    client.peer = server;
    server.peer = client;
    loop.execute(
        () -> {
          server.listener = accepting.onAccepted(server);
          client.listener = connecting.onConnected(client);
        });
  }

  /**
   * The client at the other end of a connection of another protocol.
   *
   * @param address such as {@code "tcp://10.0.0.7:40112"}
   * @param certificates its own first; empty if none was requested or sent
   */
  record Remote(String address, List<X509Certificate> certificates) {}

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
  public List<X509Certificate> peerCertificates() {
    return peerCertificates;
  }

  @Override
  public SendResult send(Slot slot) {
    capabilities.requireFrame(slot.length());
    LocalLink to = peer;
    if (closedBecause != null || to == null || to.ends != null) {
      return SendResult.CLOSED;
    }
    if (to.arrived.size() >= MOST_WAITING) {
      pushedBack = true;
      return SendResult.BACK_PRESSURED;
    }
    ByteBuffer copy = ByteBuffer.allocate(slot.length());
    to.arrived.add(copy.put(0, slot.buffer(), 0, slot.length()));
    return SendResult.SENT;
  }

  @Override
  public void flush() {
    LocalLink to = peer;
    if (to != null && to.receiving && !to.arrived.isEmpty()) {
      to.deliverLater();
    }
  }

  private void deliverLater() {
    if (!delivering) {
      delivering = true;
      loop.execute(this::deliver);
    }
  }

  private void deliver() {
    delivering = false;
    LocalLink from = peer;
    LinkListener owner = listener;
    if (owner == null || from == null) {
      return;
    }
    try {
      ByteBuffer frame;
      while (receiving && closedBecause == null && (frame = arrived.poll()) != null) {
        owner.onFrame(frame, 0, frame.capacity());
        owner = Objects.requireNonNullElse(listener, owner); // it may change for each frame
      }
      LinkListener sender = from.listener;
      boolean room = arrived.size() <= MOST_WAITING / 2 && from.closedBecause == null;
      if (from.pushedBack && room && sender != null) {
        from.pushedBack = false;
        sender.onWritable();
      }
    } catch (RuntimeException e) {
      FAILED.error("The listener of the link to {} failed; the link is closed", peerAddress, e);
      abort("its listener failed: " + e);
    }
    if (ends != null && arrived.isEmpty()) {
      end(ends);
    }
  }

  @Override
  public void setReceiving(boolean receiving) {
    this.receiving = receiving;
    if (receiving) {
      deliverLater();
    }
  }

  @Override
  public void listener(LinkListener next) {
    listener = next;
  }

  @Override
  public void close() {
    end("closed by this end");
  }

  @Override
  public void abort(String reason) {
    if (peer != null) {
      peer.arrived.clear();
    }
    end(reason);
  }

  private void end(String reason) {
    if (closedBecause != null) {
      return;
    }
    closedBecause = reason;
    arrived.clear();
    LocalLink other = peer;
    if (other != null && other.ends == null) {
      other.ends = "the peer closed the link";
      other.deliverLater();
    }
    if (listener != null) {
      listener.onClosed(reason);
    }
  }
}
