package io.verbena.rdma.cm;

import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.RdmaCmId;
import io.verbena.link.LinkException;
import io.verbena.link.runtime.NanoClock;
import io.verbena.rdma.device.DeviceAddresses;
import io.verbena.rdma.wire.Offer;
import io.verbena.verbs.ext.VerbsProvider;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where this loop's devices listen: one id per address of a device, each at a port of its own
 * choice. A listener on the wildcard or the loopback address would have no device.
 *
 * <p>Devices and addresses that have come or gone are noticed when an offer is made, at most once a
 * second; listeners whose device and address are still there stay as they are, with whoever is
 * connecting to them.
 */
final class Listeners {
  private static final Logger LOG = LoggerFactory.getLogger(Listeners.class);
  private static final int BACKLOG = 128;

  /** Devices and addresses come without a word; a look at all of them takes a loop milliseconds. */
  private static final long LOOK_EVERY_NANOS = Duration.ofSeconds(1).toNanos();

  private final VerbsProvider provider;
  private final CmEvents events;
  private final CmListener requests;
  private final NanoClock clock;
  private final List<Listener> open = new ArrayList<>();
  private long looked;

  private record Listener(RdmaCmId id, IbvContext device, InetSocketAddress address) {}

  Listeners(VerbsProvider provider, CmEvents events, CmListener requests, NanoClock clock) {
    this.provider = provider;
    this.events = events;
    this.requests = requests;
    this.clock = clock;
  }

  /**
   * Returns where a peer may connect, best first.
   *
   * @param local where the session's first link ends here: the same network leads to the peer
   */
  List<InetSocketAddress> candidates(URI local) throws LinkException {
    closeRemoved();
    if (open.isEmpty() || clock.nanoTime() - looked >= LOOK_EVERY_NANOS) {
      look();
    }
    if (open.isEmpty()) {
      throw new LinkException(
          "no address of this host leads to a verbs device; give the device's network interface an"
              + " address, and see 'rdma link show'",
          null);
    }
    List<InetSocketAddress> candidates = new ArrayList<>();
    @Nullable InetAddress first = RdmaAddress.literal(local);
    for (Listener one : open) {
      boolean preferred = one.address().getAddress().equals(first);
      candidates.add(preferred ? 0 : candidates.size(), one.address());
    }
    return candidates.subList(0, Math.min(candidates.size(), Offer.MOST_CANDIDATES));
  }

  /** Returns the devices whose addresses this end listens at. */
  List<IbvContext> devices() {
    return open.stream().map(Listener::device).distinct().toList();
  }

  /** Listens at every address of a device, and no more where it is gone. */
  private void look() throws LinkException {
    looked = clock.nanoTime();
    try {
      Set<InetAddress> found = DeviceAddresses.find(provider);
      closeRemoved(); // the provider may have heard just now
      closeWhere(one -> !found.contains(one.address().getAddress()));
      for (InetAddress address : found) {
        if (!listensAt(address)) {
          listen(address);
        }
      }
    } catch (IOException e) {
      if (open.isEmpty()) {
        throw new LinkException("the verbs devices cannot be queried: " + e.getMessage(), e);
      }
      LOG.debug("The verbs devices cannot be queried: {}", e.getMessage());
    }
  }

  private boolean listensAt(InetAddress address) {
    return open.stream().anyMatch(one -> one.address().getAddress().equals(address));
  }

  private void listen(InetAddress address) throws IOException {
    RdmaCmId id = events.createId(requests);
    try {
      id.bindAddr(new InetSocketAddress(address, 0));
      IbvContext device = id.getVerbs();
      if (device == null || !(id.getSource() instanceof InetSocketAddress bound)) {
        events.destroy(id);
        return;
      }
      id.listen(BACKLOG);
      open.add(new Listener(id, device, new InetSocketAddress(address, bound.getPort())));
    } catch (IOException e) {
      LOG.debug("{} leads to no verbs device: {}", address, e.getMessage());
      events.destroy(id);
    }
  }

  /** Closes those whose device is gone; the next offer looks for others if none is left. */
  void closeRemoved() {
    closeWhere(one -> !one.device().isOpen());
  }

  void close() {
    closeWhere(one -> true);
  }

  private void closeWhere(Predicate<Listener> gone) {
    open.removeIf(
        one -> {
          if (!gone.test(one)) {
            return false;
          }
          events.destroy(one.id());
          return true;
        });
  }
}
