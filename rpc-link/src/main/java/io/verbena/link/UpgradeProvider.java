package io.verbena.link;

import java.net.URI;
import java.util.Map;

/**
 * A kind of link that a session changes to after it has opened over another, found by {@link
 * java.util.ServiceLoader}. Of several a session takes the first that is to be had with its peer,
 * in the order of their {@linkplain #priority() priorities}, or the one that the system property
 * {@code verbena.upgrade} names. One whose links are lost soon, again and again, is asked for
 * behind the others. Whatever it throws keeps sessions on TCP, and no more. Safe for use by any
 * thread.
 */
public interface UpgradeProvider {
  /** Returns the kind of link, such as {@code "rdma"}. */
  String kind();

  /** Returns where it stands among others: the highest is tried first. */
  default int priority() {
    return 0;
  }

  /** Returns whether this host can make such links now. Cheap enough to ask for each session. */
  Availability availability();

  /**
   * Returns why no such link leads to a peer, in words like those of {@link
   * Availability.Unavailable}; empty where one may. Cheap enough to ask for each session.
   *
   * @param peer the address that the session's first link is connected to
   */
  default String outOfReach(URI peer) {
    return "";
  }

  /**
   * Returns whether a request is of this kind, as {@link UpgradeDriver#request} makes it. Where
   * there are several kinds, the passive end finds out so which one is asked for.
   *
   * @param request comes from the peer, so trust nothing in it
   */
  default boolean understands(byte[] request) {
    return true;
  }

  /**
   * Makes what steps these links on one event loop. Called only where they are available.
   *
   * @param wakeLoop ends the loop's wait; called by any thread when the driver has something to do
   */
  UpgradeDriver newDriver(Runnable wakeLoop);

  /** Returns what its links hold and have done, by name, for those who watch over them. */
  default Map<String, Long> figures() {
    return Map.of();
  }

  /** Whether links of a kind can be had on this host. */
  sealed interface Availability {
    /**
     * They can.
     *
     * @param detail by what, such as {@code "rxe0 at 10.7.0.1"}
     */
    record Available(String detail) implements Availability {}

    /**
     * They cannot.
     *
     * @param reason why, in words that fit behind "tcp: ", such as {@code "no verbs device on this
     *     host"}
     */
    record Unavailable(String reason) implements Availability {}
  }
}
