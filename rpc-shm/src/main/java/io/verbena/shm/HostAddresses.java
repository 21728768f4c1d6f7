package io.verbena.shm;

import io.verbena.link.runtime.NanoClock;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.URI;
import java.time.Duration;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The addresses of this host. Safe for use by any thread. */
final class HostAddresses {
  /** A look at all interfaces may take milliseconds, so its result is kept for this long. */
  private static final long GOOD_FOR_NANOS = Duration.ofSeconds(5).toNanos();

  private final NanoClock clock;
  private volatile @Nullable Seen seen;

  private record Seen(Set<InetAddress> addresses, long nanos) {}

  HostAddresses(NanoClock clock) {
    this.clock = clock;
  }

  /**
   * Returns the reason that a peer is out of reach of shared memory; empty if its address is one of
   * this host. Looks no name up.
   */
  String outOfReach(URI peer) {
    return isHere(peer)
        ? ""
        : "no interface here has the peer's address "
            + peer.getRawAuthority()
            + ": the peer is on another host, or in a container with a network of its own";
  }

  private boolean isHere(URI peer) {
    String host = peer.getHost();
    if (host == null) {
      return false;
    }
    try {
      InetAddress address = InetAddress.ofLiteral(host);
      return address.isLoopbackAddress() || own().contains(address);
    } catch (IllegalArgumentException | SocketException e) {
      return false;
    }
  }

  private Set<InetAddress> own() throws SocketException {
    long now = clock.nanoTime();
    Seen before = seen;
    if (before == null || now - before.nanos >= GOOD_FOR_NANOS) {
      before =
          new Seen(
              NetworkInterface.networkInterfaces()
                  .flatMap(NetworkInterface::inetAddresses)
                  .collect(Collectors.toSet()),
              now);
      seen = before;
    }
    return before.addresses;
  }
}
