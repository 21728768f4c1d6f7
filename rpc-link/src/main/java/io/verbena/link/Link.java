package io.verbena.link;

import io.verbena.link.memory.Slot;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/**
 * A connection that carries frames. Frames arrive whole, in the order of sending and exactly once
 * while the link lives. A link belongs to the event loop that opened it, and every method is called
 * on that loop.
 */
public interface Link {
  /** Returns the capabilities of this link. They never change. */
  LinkCapabilities capabilities();

  /** Returns the address of this end, such as {@code "tcp://10.0.0.5:7400"}. */
  String localAddress();

  /**
   * Returns the address of the peer for logs, such as {@code "tcp://10.0.0.7:40112"}. If this end
   * connected by a host's name, that name is in it: {@code "tcp://stock.example.org:7400"}.
   */
  String peerAddress();

  /**
   * Returns the address of the peer. If this end connected by a host's name, the IP address of that
   * host is in it.
   */
  default String remoteAddress() {
    return peerAddress();
  }

  /**
   * Returns the peer's certificates in the order of sending. Its own certificate, whose key it has,
   * is the first. Empty if none was requested or sent.
   */
  default List<X509Certificate> peerCertificates() {
    return List.of();
  }

  /** Returns the session of the link's TLS handshake; null without TLS. */
  default @Nullable SSLSession tlsSession() {
    return null;
  }

  /**
   * Returns the options of the link's socket by their names in C, such as {@code SO_SNDBUF}. Empty
   * if there is no socket, or if it is closed.
   */
  default Map<String, String> socketOptions() {
    return Map.of();
  }

  /**
   * Sends the first {@link Slot#length()} bytes of a slot as one frame. After {@link
   * SendResult#SENT} the link has either copied the frame, or {@linkplain Slot#hold() holds} the
   * slot until it no longer needs it. On any other result nothing was sent and nothing is held.
   *
   * @throws IllegalArgumentException if the frame is longer than {@link
   *     LinkCapabilities#maxFrameBytes()} or empty, which is a mistake of the core
   */
  SendResult send(Slot slot);

  /**
   * Sends everything that was accepted so far. The core calls it at the end of a duty cycle in
   * which it sent something, so that frames sent in one cycle may share a system call.
   */
  void flush();

  /**
   * Stops or resumes handing over frames. A frame that is already being received may still arrive.
   * If the link was stopped from within the call for a frame, no frame arrives before it is
   * resumed.
   */
  void setReceiving(boolean receiving);

  /** Replaces the listener of this link. */
  void listener(LinkListener next);

  /** Returns the present figures of this link by name, such as credits, for monitoring. */
  default Map<String, Long> figures() {
    return Map.of();
  }

  /**
   * Returns the number of links of this kind for which this end has adapters now. 1 if there is no
   * other adapter, or if this is the passive end. It may take milliseconds.
   */
  default int rails() {
    return 1;
  }

  /** Returns the part of this link that moves bulk bytes; null if it cannot. */
  default @Nullable BulkPort bulk() {
    return null;
  }

  /**
   * Moves the link to the driver of another loop, made by the same provider. No frame is delivered
   * in between; the next one is delivered on the other loop. Only a link that has sent nothing, and
   * that moves no bulk bytes, can be moved.
   *
   * @param driver the driver of the other loop
   * @param there runs on the other loop. From then on every method is called there. It does not run
   *     if the link is lost before it has moved, or if the other loop is closed, which loses the
   *     link. The listener then receives {@link LinkListener#onClosed}
   * @throws UnsupportedOperationException if links of this kind cannot be moved
   */
  default void moveTo(LinkDriver driver, Runnable there) {
    throw new UnsupportedOperationException("this link stays on its loop");
  }

  /**
   * Closes the link. Frames sent before are delivered if the peer still reads. {@link
   * LinkListener#onClosed} is called once, on this loop, possibly before this method returns.
   */
  void close();

  /**
   * Closes the link and drops frames that have not been sent yet. It serves for a peer that has
   * broken the protocol.
   */
  void abort(String reason);
}
