package io.verbena.link;

import java.net.URI;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A provider of one kind of link to which a session upgrades after it has opened over another,
 * found by {@link java.util.ServiceLoader}. The system property {@code verbena.upgrade} may name
 * the kind to use. Otherwise a session tries the kinds from the highest {@linkplain #priority()
 * priority} down and uses the first that works with its peer. A kind whose links are soon lost,
 * again and again, is tried after the others. If a provider throws, sessions stay on TCP, with no
 * other effect. Safe for use by any thread.
 */
public interface UpgradeProvider {
  /** Returns the kind of link, such as {@code "rdma"}. */
  String kind();

  /** Returns the priority among all kinds. The highest is tried first. */
  default int priority() {
    return 0;
  }

  /**
   * Returns whether this host can make such links now. It is cheap enough to call for each session.
   */
  Availability availability();

  /**
   * Returns the reason why no such link can reach a peer, in words like those of {@link
   * Availability.Unavailable}; empty if one may. It is cheap enough to call for each session.
   *
   * @param peer the address to which the session's first link is connected
   */
  default String outOfReach(URI peer) {
    return "";
  }

  /**
   * Returns whether a request was made by the {@link UpgradeDriver#request} of this kind. If there
   * are several kinds, the passive end finds the requested one by this.
   *
   * @param request comes from the peer and must not be trusted
   */
  default boolean understands(byte[] request) {
    return true;
  }

  /**
   * Makes a driver for the links of one event loop. It is called only if such links are available.
   *
   * @param wakeLoop ends the loop's wait. Any thread may call it when the driver has work
   */
  UpgradeDriver newDriver(Runnable wakeLoop);

  /**
   * Makes a driver for the links of one event loop that may watch local sockets. Without need of
   * them it is made as by {@link #newDriver(Runnable)}.
   *
   * @param sockets those of the loop's {@link LinkDriver#localSockets}; null if it watches none
   */
  default UpgradeDriver newDriver(Runnable wakeLoop, @Nullable LocalSockets sockets) {
    return newDriver(wakeLoop);
  }

  /** Returns figures about these links by name, for monitoring. */
  default Map<String, Long> figures() {
    return Map.of();
  }

  /** The answer to whether this host can make links of a kind. */
  sealed interface Availability {
    /**
     * The host can make such links.
     *
     * @param detail the device and its address, such as {@code "rxe0 at 10.7.0.1"}
     */
    record Available(String detail) implements Availability {}

    /**
     * The host cannot make such links.
     *
     * @param reason in words that can follow "tcp: ", such as {@code "no verbs device on this
     *     host"}
     */
    record Unavailable(String reason) implements Availability {}
  }
}
