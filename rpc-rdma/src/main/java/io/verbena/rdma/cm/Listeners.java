package io.verbena.rdma.cm;

import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.RdmaCmId;
import io.verbena.core.link.LinkException;
import io.verbena.rdma.device.DeviceAddresses;
import io.verbena.rdma.wire.Offer;
import io.verbena.verbs.ext.VerbsProvider;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where this loop's devices listen: one id per address of a device, each at a port of its own
 * choice. A listener on the wildcard or the loopback address would have no device.
 */
final class Listeners {
  private static final Logger LOG = LoggerFactory.getLogger(Listeners.class);
  private static final int BACKLOG = 128;

  private final VerbsProvider provider;
  private final CmEvents events;
  private final CmListener requests;
  private final List<Listener> open = new ArrayList<>();

  private record Listener(RdmaCmId id, InetSocketAddress address) {}

  Listeners(VerbsProvider provider, CmEvents events, CmListener requests) {
    this.provider = provider;
    this.events = events;
    this.requests = requests;
  }

  /**
   * Returns where a peer may connect, best first.
   *
   * @param local where the session's first link ends here: the same network leads to the peer
   */
  List<InetSocketAddress> candidates(URI local) throws LinkException {
    if (open.isEmpty()) {
      listen();
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
  List<IbvContext> devices() throws IOException {
    List<IbvContext> devices = new ArrayList<>();
    for (Listener one : open) {
      IbvContext device = one.id().getVerbs();
      if (device != null && !devices.contains(device)) {
        devices.add(device);
      }
    }
    return devices;
  }

  private void listen() throws LinkException {
    try {
      for (InetAddress address : DeviceAddresses.find(provider)) {
        listen(address);
      }
    } catch (IOException e) {
      throw new LinkException("the verbs devices cannot be queried: " + e.getMessage(), e);
    }
  }

  private void listen(InetAddress address) throws IOException {
    RdmaCmId id = events.createId(requests);
    try {
      id.bindAddr(new InetSocketAddress(address, 0));
      if (id.getVerbs() == null || !(id.getSource() instanceof InetSocketAddress bound)) {
        events.destroy(id);
        return;
      }
      id.listen(BACKLOG);
      open.add(new Listener(id, new InetSocketAddress(address, bound.getPort())));
    } catch (IOException e) {
      LOG.debug("{} leads to no verbs device: {}", address, e.getMessage());
      events.destroy(id);
    }
  }

  /** A listener's device is gone; the next offer looks for devices anew. */
  void removed() {
    close();
  }

  void close() {
    open.forEach(one -> events.destroy(one.id()));
    open.clear();
  }
}
