package io.verbena.core.link;

/** A kind of link, found by {@link java.util.ServiceLoader}. Safe for use by any thread. */
public interface LinkProvider {
  /** Returns the scheme of the addresses that this kind of link reaches, such as {@code "tcp"}. */
  String scheme();

  /**
   * Makes what steps this kind of link on one event loop, called by that loop alone afterwards.
   *
   * @param wakeLoop ends the loop's wait, whichever of its drivers it waits in. A driver that
   *     becomes ready by another thread's doing calls it from that thread.
   */
  LinkDriver newDriver(Runnable wakeLoop);
}
