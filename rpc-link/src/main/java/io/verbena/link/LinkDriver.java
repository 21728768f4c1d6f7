package io.verbena.link;

import java.net.URI;
import org.jspecify.annotations.Nullable;

/**
 * Steps all links of one kind on one event loop. Called by the thread that steps that loop, except
 * {@link #wakeup}. That is the loop's own thread, unless the driver {@linkplain #mayChangeThread
 * agrees} to others.
 */
public interface LinkDriver extends AutoCloseable {
  /**
   * Handles ready events without waiting: accepts connections, reads frames, calls listeners.
   *
   * @return the number of events handled; 0 lets the loop go idle
   */
  int poll();

  /**
   * Waits until an event is ready, {@link #wakeup} was called, or the time has passed. It may
   * handle events that became ready.
   *
   * @return the number of events handled
   */
  int await(long nanos);

  /** Ends a running {@link #await}, or else the next one. Safe for use by any thread. */
  void wakeup();

  /**
   * Returns whether another thread may step the driver from now on. It may be any thread of the
   * user, for the time of a call: with a deep stack, thread-local values of its own, and an
   * interrupt pending. So the answer is no while a link is being opened, or if a step would keep
   * something on its thread, wait for something else, or clear an interrupt.
   */
  default boolean mayChangeThread() {
    return false;
  }

  /**
   * Returns whether virtual threads wait in {@link #await} about as cheaply as others. Does not
   * change. Safe for use by any thread.
   */
  default boolean suitsVirtualThreads() {
    return true;
  }

  /** The calling thread steps the driver from now on. The last one has {@linkplain #released}. */
  default void adopted() {}

  /** The calling thread steps the driver no longer. */
  default void released() {}

  /**
   * Returns local sockets that end {@link #await} by themselves; null if the driver has none. They
   * must be closed before the driver is, and live as long as it does.
   */
  default @Nullable LocalSockets localSockets() {
    return null;
  }

  /**
   * Opens a link. The handler receives the outcome exactly once, later, on this loop.
   *
   * @param address with this driver's scheme
   */
  void connect(URI address, LinkOptions options, ConnectHandler handler);

  /**
   * Listens for links.
   *
   * @param address with this driver's scheme; port 0 picks a free one
   * @throws LinkException if it cannot listen there; the message gives the reason and the remedy
   */
  Listening listen(URI address, LinkOptions options, AcceptHandler handler) throws LinkException;

  /**
   * Closes every link and listening address of this driver. {@link LinkListener#onClosed} is called
   * for every link.
   */
  @Override
  void close();

  /** Receives the outcome of a connection attempt. */
  interface ConnectHandler {
    /** The link is open. Returns its listener, which receives frames from then on. */
    LinkListener onConnected(Link link);

    /** The attempt has failed. */
    void onFailed(LinkException failure);
  }

  /** Receives links that peers opened. */
  @FunctionalInterface
  interface AcceptHandler {
    /** A peer has opened a link. Returns its listener, which receives frames from then on. */
    LinkListener onAccepted(Link link);
  }

  /** A listening address. */
  interface Listening {
    /** Returns the address with the port in use. */
    URI address();

    /** Stops listening. Open links stay. Call it on the loop's thread. */
    void close();
  }
}
