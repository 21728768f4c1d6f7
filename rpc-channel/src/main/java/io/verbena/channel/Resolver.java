package io.verbena.channel;

import java.util.List;

/**
 * Finds out where the servers of one name are, and tells when that changes. Made for one channel,
 * which starts it once and closes it.
 */
public interface Resolver extends AutoCloseable {
  /**
   * Is told where servers are. Safe for use by any thread; returns at once. What is told after the
   * channel has closed is left out.
   */
  interface Listener {
    /**
     * Tells where all servers are now: each call replaces what was told before. Sessions with those
     * that are told again stay as they are. Of two with the same address the first one counts. An
     * empty list means that there are none, and calls fail.
     */
    void endpoints(List<Endpoint> all);

    /**
     * Tells that servers could not be looked up. What was told before stays; where nothing was,
     * calls fail with this reason.
     *
     * @param reason for people, with where it looked and what to do
     */
    void failed(String reason);
  }

  /**
   * Begins to look servers up, and returns without waiting. The listener may be told from within,
   * and from any thread.
   */
  void start(Listener listener);

  /**
   * Asks for a look soon: a server could not be reached. May be called often, by any thread;
   * returns at once. Resolvers that are told of every change do nothing.
   */
  default void refresh() {}

  /** Stops looking, and returns without waiting. Closing again does nothing. */
  @Override
  void close();
}
