package io.verbena.shm;

import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.function.Consumer;

/**
 * Waits at the sockets of one driver while its loop sleeps. By default it is a thread; a simulation
 * waits in its own time. Only the loop calls it.
 */
public interface Waiter {
  /** Makes a waiter for each driver. */
  @FunctionalInterface
  interface Maker {
    /**
     * Makes a waiter that does not wait yet.
     *
     * @param sockets the driver's sockets are registered here; the driver closes it before {@link
     *     #close}
     * @param ready called with each socket that is ready, by one thread at a time
     * @param wakeLoop ends the loop's wait; for any thread
     */
    Waiter of(Selector sockets, Consumer<SelectionKey> ready, Runnable wakeLoop);
  }

  /**
   * Begins to wait.
   *
   * @param limitMillis wakes the loop after each such time in which no socket was ready; 0 for
   *     never
   * @return false if it cannot wait; the loop then does not sleep
   */
  boolean waitFor(long limitMillis);

  /** Returns whether it waits. If not, the loop looks at the sockets itself. */
  boolean isWaiting();

  /**
   * Ends the waiter. After it returns, {@code ready} and {@code wakeLoop} are not called any more.
   */
  void close();
}
