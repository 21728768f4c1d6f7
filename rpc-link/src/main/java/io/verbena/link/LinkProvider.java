package io.verbena.link;

/**
 * A provider of one kind of link, found by {@link java.util.ServiceLoader}. If several have the
 * same scheme, the system property {@code verbena.link.SCHEME} may name the class to use. Otherwise
 * the one with the highest {@linkplain #priority() priority} that {@linkplain #isAvailable() is
 * available} is used. Safe for use by any thread.
 */
public interface LinkProvider {
  /** Returns the scheme of the addresses that this kind of link reaches, such as {@code "tcp"}. */
  String scheme();

  /** Returns the priority among providers of the same scheme. The highest is used. */
  default int priority() {
    return 0;
  }

  /** Returns whether this host can make such links. */
  default boolean isAvailable() {
    return true;
  }

  /**
   * Returns whether an accepted link can be {@linkplain Link#moveTo moved} to another loop. If not,
   * a server has one loop.
   */
  default boolean linksMove() {
    return false;
  }

  /**
   * Makes a driver for the links of one event loop. Only that loop calls it.
   *
   * @param wakeLoop ends the wait of the loop in any of its drivers. If another thread makes the
   *     driver ready, the driver calls it from that thread.
   * @throws IllegalStateException if this process lacks a permission or resource; the message names
   *     it and the remedy
   */
  LinkDriver newDriver(Runnable wakeLoop);
}
