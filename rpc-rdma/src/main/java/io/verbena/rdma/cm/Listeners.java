package io.verbena.rdma.cm;

import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.RdmaCmId;
import io.verbena.link.LinkException;
import io.verbena.rdma.DeviceAddress;
import io.verbena.rdma.DeviceAddresses;
import io.verbena.rdma.DeviceChoice;
import io.verbena.verbs.ext.VerbsContext;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The listening ids of this loop's devices: one for each address that is used, each at a port of
 * its own choice. A listener at the wildcard or loopback address would have no device.
 *
 * <p>New and lost devices and addresses are noticed when an offer is made, at most once a second.
 * Listeners whose device and address are still there stay as they are, with the peers that are
 * connecting.
 */
final class Listeners {
  private static final Logger LOG = LoggerFactory.getLogger(Listeners.class);
  private static final int BACKLOG = 128;

  private final DeviceAddresses addresses;
  private final CmEvents events;
  private final CmListener requests;
  private final List<Listener> open = new ArrayList<>();

  /** The addresses for which {@link #open} was made. */
  private List<DeviceAddress> seen = List.of();

  private record Listener(
      RdmaCmId id, IbvContext device, DeviceAddress own, InetSocketAddress address) {}

  Listeners(DeviceAddresses addresses, CmEvents events, CmListener requests) {
    this.addresses = addresses;
    this.events = events;
    this.requests = requests;
  }

  /**
   * Returns the addresses for a peer, best first: that of the session's first link, then those in
   * the same network, then one in each other network, and then the rest.
   *
   * @param local the local address of the session's first link; its network leads to the peer
   * @param most the largest number to return
   * @param taken addresses whose adapters already have links of the session
   */
  List<InetSocketAddress> candidates(URI local, int most, Set<InetAddress> taken)
      throws LinkException {
    closeRemoved();
    look();
    if (open.isEmpty()) {
      throw new LinkException(
          "no address of this host leads to a verbs device; give the device's network interface an"
              + " address, and see 'rdma link show'",
          null);
    }
    @Nullable InetAddress first = RdmaAddress.literal(local);
    List<List<InetSocketAddress>> ranks = List.of(none(), none(), none(), none());
    List<DeviceChoice.Subnet> networks = new ArrayList<>();
    List<DeviceAddress> here = open.stream().map(Listener::own).toList();
    List<DeviceAddress> usable = taken.isEmpty() ? here : DeviceAddresses.beside(here, taken);
    if (usable.isEmpty()) {
      throw new LinkException("there is no further verbs device", null);
    }
    for (Listener one : open) {
      if (!usable.contains(one.own())) {
        continue;
      }
      InetAddress address = one.address().getAddress();
      boolean further = networks.stream().anyMatch(network -> network.contains(address));
      networks.add(one.own().network());
      boolean near = first != null && one.own().network().contains(first);
      int rank = address.equals(first) ? 0 : near ? 1 : further ? 3 : 2;
      ranks.get(rank).add(one.address());
    }
    return ranks.stream().flatMap(List::stream).limit(most).toList();
  }

  private static List<InetSocketAddress> none() {
    return new ArrayList<>();
  }

  List<IbvContext> devices() {
    return open.stream().map(Listener::device).distinct().toList();
  }

  /** Listens at every address that is used, and stops where an address is gone. */
  private void look() throws LinkException {
    try {
      List<DeviceAddress> all = open.isEmpty() ? addresses.look() : addresses.now();
      if (all == seen && !open.isEmpty()) {
        return;
      }
      seen = all;
      List<DeviceAddress> found = all.stream().filter(DeviceAddress::isUsed).toList();
      closeRemoved(); // the provider may have noticed a removal just now
      Map<InetAddress, DeviceAddress> used = new LinkedHashMap<>();
      found.forEach(one -> used.put(one.address(), one));
      closeWhere(one -> !isThere(one.own(), used));
      open.forEach(one -> used.remove(one.own().address()));
      for (DeviceAddress one : used.values()) {
        listen(one);
      }
      if (open.isEmpty() && !addresses.choice().equals(DeviceChoice.ANY)) {
        throw new LinkException(addresses.problem().orElse("no address can be listened at"), null);
      }
    } catch (IOException e) {
      if (open.isEmpty()) {
        throw new LinkException("the verbs devices cannot be queried: " + e.getMessage(), e);
      }
      LOG.debug("The verbs devices cannot be queried: {}", e.getMessage());
    }
  }

  /** An address may have moved to another adapter, where a listener of the first hears nothing. */
  private static boolean isThere(DeviceAddress own, Map<InetAddress, DeviceAddress> used) {
    DeviceAddress now = used.get(own.address());
    return now != null && now.adapter().equals(own.adapter());
  }

  private void listen(DeviceAddress own) throws IOException {
    RdmaCmId id = events.createId(requests);
    try {
      id.bindAddr(new InetSocketAddress(own.address(), 0));
      IbvContext device = id.getVerbs();
      String deviceName = device == null ? "" : VerbsContext.of(device).deviceName();
      if (device == null
          || !addresses.choice().objectionTo(deviceName, id.getPort_num()).isEmpty()
          || !(id.getSource() instanceof InetSocketAddress bound)) {
        events.destroy(id);
        return;
      }
      id.listen(BACKLOG);
      open.add(
          new Listener(id, device, own, new InetSocketAddress(own.address(), bound.getPort())));
    } catch (IOException e) {
      LOG.debug("{} leads to no verbs device: {}", own, e.getMessage());
      events.destroy(id);
    }
  }

  /** Closes listeners whose device is gone. If none is left, the next offer looks for others. */
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
