package io.verbena.link;

import io.verbena.link.memory.Slot;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One connection that carries frames: whole, in the order they were sent, none twice, none lost
 * while the link lives. Owned by the event loop that opened it; every method is called on that
 * loop.
 */
public interface Link {
  /** Returns what this link can do; never changes. */
  LinkCapabilities capabilities();

  /** Returns where this end is: {@code "tcp://10.0.0.5:7400"}. */
  String localAddress();

  /**
   * Returns where the peer is, for logs: {@code "tcp://10.0.0.7:40112"}, or as this end was told to
   * find it: {@code "tcp://stock.example.org:7400"}.
   */
  String peerAddress();

  /** Returns where the peer is, with the address that its name stood for, where there was one. */
  default String remoteAddress() {
    return peerAddress();
  }

  /**
   * Returns the peer's certificates as it has sent them: its own, which it has the key of, first.
   * Empty where none was asked for or given.
   */
  default List<X509Certificate> peerCertificates() {
    return List.of();
  }

  /**
   * Sends the first {@link Slot#length()} bytes of a slot as one frame. On {@link SendResult#SENT}
   * the link has the frame: it either copied it, or {@linkplain Slot#hold() holds} the slot until
   * it has no more use for it. On any other result nothing was sent and nothing is held.
   *
   * @throws IllegalArgumentException if the frame is longer than {@link
   *     LinkCapabilities#maxFrameBytes()} or empty: the core's mistake, not the peer's
   */
  SendResult send(Slot slot);

  /**
   * Puts everything sent so far on its way. The core calls it at the end of a duty cycle in which
   * it sent something, so that frames sent in one cycle may share a system call.
   */
  void flush();

  /**
   * Stops or resumes handing over frames. A frame that is already on its way in may still come,
   * unless the link was stopped from within the call that announced it: then none comes before it
   * is resumed.
   */
  void setReceiving(boolean receiving);

  /** Has another owner hear of the link from now on, in place of the one before. */
  void listener(LinkListener next);

  /** Returns its present figures by name, such as credits, for those who watch over it. */
  default Map<String, Long> figures() {
    return Map.of();
  }

  /**
   * Returns for how many links like this one this end has adapters now: 1 where there is no other
   * one, or this is the passive end. May take milliseconds to find out.
   */
  default int rails() {
    return 1;
  }

  /** Returns how this link moves bulk bytes; null where it cannot. */
  default @Nullable BulkPort bulk() {
    return null;
  }

  /**
   * Moves the link to the driver of another loop, made by the same provider. No frame is handed
   * over in between: what has not been yet comes on the other loop. For a link by which nothing has
   * been sent, and that moves no bulk.
   *
   * @param driver the other loop's
   * @param there run by the other loop, from when on every method is called there. Not run where
   *     the link is lost before it has left, or the other loop is closed, which loses it: its
   *     listener hears so
   * @throws UnsupportedOperationException if links of this kind stay where they are
   */
  default void moveTo(LinkDriver driver, Runnable there) {
    throw new UnsupportedOperationException("this link stays on its loop");
  }

  /**
   * Closes the link. Frames sent before are delivered if the peer still reads. The listener hears
   * {@link LinkListener#onClosed} once, on this loop, maybe before this method returns.
   */
  void close();

  /** Closes the link and drops what has not left yet; for a link that has broken the rules. */
  void abort(String reason);
}
