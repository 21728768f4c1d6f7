package io.verbena.link;

import java.net.URI;

/**
 * Steps one event loop's links of a kind that sessions upgrade to. Called by the loop's thread
 * only.
 *
 * <p>The passive end makes an offer, bytes that the core carries to the peer over the session's
 * first link and does not look into. The active end connects by them. A stranger without the
 * offer's one-time token is turned away before anything is made for it.
 */
public interface UpgradeDriver extends AutoCloseable {
  /**
   * Does what is ready and returns without waiting; returns how much was done.
   *
   * @param nowNanos the time
   */
  int poll(long nowNanos);

  /**
   * Returns whether there are links: worth polling for a while before waiting, since these links
   * are polled without a system call.
   */
  boolean isInUse();

  /**
   * The loop is about to wait: makes sure that whatever happens from now on wakes it. May do what
   * became ready.
   *
   * @param nowNanos the time
   * @return false if something has happened already: the loop then polls again instead of waiting
   */
  boolean armWakeup(long nowNanos);

  /**
   * Returns bytes that tell the passive end what it needs to make an offer; they go with the active
   * end's request.
   *
   * @param peer the address the session's first link is connected to
   * @throws LinkException if a link cannot be asked for; the message says why
   */
  byte[] request(URI peer, LinkOptions options) throws LinkException;

  /**
   * Offers a link to a peer, for one use.
   *
   * @param request what the active end's {@link #request} returned; comes from the peer, so trust
   *     nothing in it
   * @param localAddress where the session's first link ends on this host
   * @param handler hears of the link when the peer has connected and both ends can use it, or of
   *     its failure, at most once, after a bounded time at the latest
   * @return the offer
   * @throws LinkException if there is nothing to offer; the message says why, for the peer
   */
  byte[] offer(
      byte[] request, URI localAddress, LinkOptions options, LinkDriver.ConnectHandler handler)
      throws LinkException;

  /**
   * Connects by an offer, trying its candidates in turn, within the connect time-out.
   *
   * @param offer comes from the peer, so trust nothing in it
   * @param handler hears of the outcome exactly once, later, on this loop
   */
  void connect(byte[] offer, LinkOptions options, LinkDriver.ConnectHandler handler);

  /**
   * Closes every link, when what was sent by it has arrived, or after some seconds where a peer
   * does not answer. Links' listeners are told.
   *
   * @param meanwhile what else the loop has to do: runs now and then while links are waited for
   */
  void close(Runnable meanwhile);

  /** {@linkplain #close(Runnable) Closes} every link while the loop does nothing else. */
  @Override
  default void close() {
    close(() -> {});
  }
}
