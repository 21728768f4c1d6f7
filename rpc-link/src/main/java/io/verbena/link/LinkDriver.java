package io.verbena.link;

import java.net.URI;

/**
 * Steps all links of one kind on one event loop. Called by that loop's thread only, except {@link
 * #wakeup}.
 */
public interface LinkDriver extends AutoCloseable {
  /**
   * Does what is ready and returns without waiting: accepts, reads, calls listeners.
   *
   * @return how much was done; 0 lets the loop go idle
   */
  int poll();

  /**
   * Waits until something is ready, {@link #wakeup} was called, or the time has passed. May do what
   * became ready.
   *
   * @return how much was done
   */
  int await(long nanos);

  /** Ends an {@link #await} under way, else the next one. Safe for any thread. */
  void wakeup();

  /**
   * Opens a link. The handler hears of the outcome exactly once, later, on this loop.
   *
   * @param address with this driver's scheme
   */
  void connect(URI address, LinkOptions options, ConnectHandler handler);

  /**
   * Listens for links.
   *
   * @param address with this driver's scheme; port 0 picks a free one
   * @throws LinkException if it cannot listen there; the message says why and what to do
   */
  Listening listen(URI address, LinkOptions options, AcceptHandler handler) throws LinkException;

  /** Closes every link and listener of this driver. Links' listeners are told. */
  @Override
  void close();

  /** Hears what became of a connection attempt. */
  interface ConnectHandler {
    /** The link is open. Returns who listens to it; frames flow from then on. */
    LinkListener onConnected(Link link);

    /** There is no link. */
    void onFailed(LinkException failure);
  }

  /** Hears of links that a peer opened. */
  @FunctionalInterface
  interface AcceptHandler {
    /** A link was opened by a peer. Returns who listens to it; frames flow from then on. */
    LinkListener onAccepted(Link link);
  }

  /** A listening address. */
  interface Listening {
    /** Returns the address with the port in use. */
    URI address();

    /** Stops listening; open links stay. On the loop's thread. */
    void close();
  }
}
