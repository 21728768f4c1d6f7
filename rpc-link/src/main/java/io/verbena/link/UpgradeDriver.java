package io.verbena.link;

import java.net.URI;

/**
 * Steps the links of one event loop to which sessions upgrade, all of one kind. Only the thread
 * that steps the loop calls it.
 *
 * <p>The passive end makes an offer, which the core carries to the peer over the session's first
 * link without reading it. The active end connects by the offer. An attempt without the offer's
 * one-time token is refused before any resource is allocated for it.
 */
public interface UpgradeDriver extends AutoCloseable {
  /**
   * Handles ready events without waiting. Returns the number of events handled.
   *
   * @param nowNanos the present time
   */
  int poll(long nowNanos);

  /**
   * Returns whether there are links. The loop then polls for a while before it waits, because
   * polling these links needs no system call.
   */
  boolean isInUse();

  /**
   * Returns whether another thread may step the driver from now on, as {@link
   * LinkDriver#mayChangeThread} does.
   */
  default boolean mayChangeThread() {
    return false;
  }

  /**
   * Prepares for the loop's wait, so that every later event wakes the loop. It may handle events
   * that became ready.
   *
   * @param nowNanos the present time
   * @return false if an event has occurred already; the loop then polls again instead of waiting
   */
  boolean armWakeup(long nowNanos);

  /**
   * Returns the active end's request, with everything that the passive end needs for an offer.
   *
   * @param peer the address to which the session's first link is connected
   * @throws LinkException if this end cannot have such a link; the message gives the reason
   */
  byte[] request(URI peer, LinkOptions options) throws LinkException;

  /**
   * Offers a link to a peer, for one use.
   *
   * @param request the result of the active end's {@link #request}; it comes from the peer and must
   *     not be trusted
   * @param localAddress the local address of the session's first link
   * @param handler receives the link when the peer has connected and both ends can use it, or the
   *     failure. It is called at most once, within a bounded time
   * @return the offer
   * @throws LinkException if this end can offer no link; the message gives the reason, and the peer
   *     receives it
   */
  byte[] offer(
      byte[] request, URI localAddress, LinkOptions options, LinkDriver.ConnectHandler handler)
      throws LinkException;

  /**
   * Connects by an offer. It tries the candidates of the offer in turn, within the connect timeout.
   *
   * @param offer comes from the peer and must not be trusted
   * @param handler receives the outcome exactly once, later, on this loop
   */
  void connect(byte[] offer, LinkOptions options, LinkDriver.ConnectHandler handler);

  /**
   * Closes every link when all that it sent has arrived, or after some seconds if the peer does not
   * answer. {@link LinkListener#onClosed} is called for every link.
   *
   * @param meanwhile the other work of the loop, which runs from time to time during the wait
   */
  void close(Runnable meanwhile);

  /** {@linkplain #close(Runnable) Closes} every link while the loop does nothing else. */
  @Override
  default void close() {
    close(() -> {});
  }
}
