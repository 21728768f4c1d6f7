package io.verbena.link;

/**
 * A kind of link, found by {@link java.util.ServiceLoader}. Of several for the same scheme the
 * first that {@linkplain #isAvailable() is available} is taken, in the order of their {@linkplain
 * #priority() priorities}, or the class that the system property {@code verbena.link.SCHEME} names.
 * Safe for use by any thread.
 */
public interface LinkProvider {
  /** Returns the scheme of the addresses that this kind of link reaches, such as {@code "tcp"}. */
  String scheme();

  /** Returns where it stands among others of its scheme: the highest is taken. */
  default int priority() {
    return 0;
  }

  /** Returns whether such links can be had on this host. */
  default boolean isAvailable() {
    return true;
  }

  /**
   * Returns whether an accepted link can be {@linkplain Link#moveTo moved} to another loop. Where
   * it cannot, a server has one loop.
   */
  default boolean linksMove() {
    return false;
  }

  /**
   * Makes what steps this kind of link on one event loop, called by that loop alone afterwards.
   *
   * @param wakeLoop ends the loop's wait, whichever of its drivers it waits in. A driver that
   *     becomes ready by another thread's doing calls it from that thread.
   * @throws IllegalStateException if this process may not have what it takes, with words that say
   *     what and how to get it
   */
  LinkDriver newDriver(Runnable wakeLoop);
}
