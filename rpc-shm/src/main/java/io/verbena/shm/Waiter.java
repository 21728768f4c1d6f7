package io.verbena.shm;

import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.function.Consumer;

/**
 * Waits at the sockets of one driver while its loop sleeps: a thread of the product's, or a
 * simulation in its own time. Called by the loop only.
 */
public interface Waiter {
  /** Makes one for each driver. */
  @FunctionalInterface
  interface Maker {
    /**
     * Makes one that does not wait yet.
     *
     * @param sockets where the driver's sockets are registered; the driver closes it before {@link
     *     #close}
     * @param ready is told of each socket at which there is something; by one thread at a time
     * @param wakeLoop ends the loop's wait; for any thread
     */
    Waiter of(Selector sockets, Consumer<SelectionKey> ready, Runnable wakeLoop);
  }

  /**
   * Has it wait from now on.
   *
   * @param limitMillis the loop is woken after each such time in which no socket was ready; 0 for
   *     never
   * @return false where it cannot: the loop then does not sleep
   */
  boolean waitFor(long limitMillis);

  /** Returns whether it waits: else the loop looks at the sockets itself. */
  boolean isWaiting();

  /** Ends it; returns when it tells and wakes nobody any more. */
  void close();
}
