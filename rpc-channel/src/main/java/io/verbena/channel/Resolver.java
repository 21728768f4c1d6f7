package io.verbena.channel;

import java.util.List;

/**
 * Finds the servers of one name, and reports changes. A resolver belongs to one channel, which
 * starts it once and closes it.
 */
public interface Resolver extends AutoCloseable {
  /**
   * Receives the addresses of servers. Safe for use by any thread; returns at once. Calls after the
   * channel has closed have no effect.
   */
  interface Listener {
    /**
     * Sets the addresses of all servers. Each call replaces the list before. Sessions with servers
     * in both lists stay as they are. Of two endpoints with the same address the first counts.
     * After an empty list, calls fail.
     */
    void endpoints(List<Endpoint> all);

    /**
     * Reports that a look-up failed. The last list stays; if there is none, calls fail with this
     * reason.
     *
     * @param reason for people: what was looked up, where, and what to do
     */
    void failed(String reason);
  }

  /**
   * Begins to look servers up; returns without waiting. The listener may be called from within, and
   * from any thread.
   */
  void start(Listener listener);

  /**
   * Asks for a look-up soon, because a server could not be reached. May be called often, by any
   * thread; returns at once. A resolver that is notified of every change does nothing.
   */
  default void refresh() {}

  /** Stops looking; returns without waiting. Closing again does nothing. */
  @Override
  void close();
}
