package io.verbena.rdma;

import com.ibm.disni.verbs.IbvContext;
import io.verbena.link.runtime.NanoClock;
import io.verbena.verbs.ext.DeviceAttributes;
import io.verbena.verbs.ext.GidEntry;
import io.verbena.verbs.ext.HostAddress;
import io.verbena.verbs.ext.PortAttributes;
import io.verbena.verbs.ext.VerbsContext;
import io.verbena.verbs.ext.VerbsProvider;
import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/**
 * Finds the addresses of this host that belong to verbs devices, and decides which of them links
 * use. Both ends of a link and 'verbena doctor' ask it. Safe for use by any thread.
 */
public final class DeviceAddresses {
  /**
   * GID tables are filled from the front. Where containers shared the adapter, those that have
   * ended leave long gaps. The tables of adapters have 256 entries at most, and that of Soft-RoCE
   * has a thousand.
   */
  private static final int EMPTY_IN_A_ROW = 256;

  /**
   * Devices and addresses come and go without notice. A look at all of them takes a loop
   * milliseconds.
   */
  private static final long LOOK_EVERY_NANOS = Duration.ofSeconds(1).toNanos();

  private static final int MOST_TOLD = 8;

  private final VerbsProvider provider;
  private final DeviceChoice choice;
  private final NanoClock clock;
  private @Nullable List<DeviceAddress> seen;
  private long looked;

  DeviceAddresses(VerbsProvider provider, DeviceChoice choice, NanoClock clock) {
    this.provider = provider;
    this.choice = choice;
    this.clock = clock;
  }

  /** Returns the choice of devices and addresses. */
  public DeviceChoice choice() {
    return choice;
  }

  /**
   * Returns all addresses, in the order of the devices and their GID tables. The list may be a
   * second old; until then it is the same one.
   *
   * @throws IOException if the devices cannot be listed, or if there are devices and none can be
   *     queried
   */
  public synchronized List<DeviceAddress> now() throws IOException {
    List<DeviceAddress> known = seen;
    return known == null || clock.nanoTime() - looked >= LOOK_EVERY_NANOS ? look() : known;
  }

  /** Returns all addresses like {@link #now}, but looks at the devices at once. */
  public synchronized List<DeviceAddress> look() throws IOException {
    looked = clock.nanoTime();
    List<DeviceAddress> found = of(provider, choice);
    seen = found;
    return found;
  }

  /** Returns the reason that the choice admits no address; empty if it admits one. */
  public Optional<String> problem() throws IOException {
    List<DeviceAddress> all = now();
    return all.stream().anyMatch(DeviceAddress::isUsed)
        ? Optional.empty()
        : Optional.of(problem(provider, choice, all));
  }

  /**
   * Returns the reason that none of these addresses is used.
   *
   * @throws IOException if the devices cannot be listed
   */
  public static String problem(VerbsProvider provider, DeviceChoice choice, List<DeviceAddress> all)
      throws IOException {
    List<String> names = names(provider);
    String wanted = choice.device();
    if (wanted != null && !names.contains(wanted)) {
      return "no verbs device " + wanted + "; there are " + String.join(", ", names);
    }
    if (all.isEmpty()) {
      return "no verbs device here has an address";
    }
    StringJoiner objections = new StringJoiner("; ");
    for (DeviceAddress one : all.subList(0, Math.min(MOST_TOLD, all.size()))) {
      objections.add(one + " (" + one.objection() + ")");
    }
    if (all.size() > MOST_TOLD) {
      objections.add((all.size() - MOST_TOLD) + " more, which 'verbena doctor' shows");
    }
    String what = choice.isAny() ? "can be used" : "is '" + choice + "'";
    return "no address of a verbs device " + what + "; there are " + objections;
  }

  /** Returns the names of the devices. */
  static List<String> names(VerbsProvider provider) throws IOException {
    List<String> names = new ArrayList<>();
    for (IbvContext device : provider.devices()) {
      names.add(VerbsContext.of(device).deviceName());
    }
    return names;
  }

  /**
   * Returns the local address from which to connect to a peer's address: a used one in the same
   * network, or else one of the same family, which needs a router. Null if there is none.
   */
  public static @Nullable DeviceAddress towards(InetAddress peer, List<DeviceAddress> own) {
    DeviceAddress far = null;
    for (DeviceAddress one : own) {
      boolean sameFamily = one.address().getAddress().length == peer.getAddress().length;
      if (one.isUsed() && sameFamily) {
        if (one.network().contains(peer)) {
          return one;
        }
        far = far == null ? one : far;
      }
    }
    return far;
  }

  /** Returns the used addresses whose adapters have none of the addresses in {@code taken}. */
  public static List<DeviceAddress> beside(List<DeviceAddress> own, Set<InetAddress> taken) {
    Set<String> adapters = new HashSet<>();
    for (DeviceAddress one : own) {
      if (taken.contains(one.address())) {
        adapters.add(one.adapter());
      }
    }
    return own.stream().filter(one -> one.isUsed() && !adapters.contains(one.adapter())).toList();
  }

  /** Returns the number of adapters with addresses that are used. */
  public static int adapters(List<DeviceAddress> own) {
    return (int)
        own.stream().filter(DeviceAddress::isUsed).map(DeviceAddress::adapter).distinct().count();
  }

  /** Link-local addresses need a scope, which a peer cannot know. */
  public static boolean reachesFar(InetAddress address) {
    return !address.isLinkLocalAddress()
        && !address.isLoopbackAddress()
        && !address.isAnyLocalAddress()
        && !address.isMulticastAddress();
  }

  /**
   * Looks at all devices. First come the addresses in the GID tables, which belong to the devices
   * on RoCE. Then come those of interfaces that belong to a port of an IPoIB or iWARP device. If
   * there is such a device, the host's other addresses come last: if the hardware address of an
   * interface is unknown, only a bind shows whether the address belongs to a device.
   *
   * @throws IOException if the devices cannot be listed, or if there are devices and none can be
   *     queried
   */
  public static List<DeviceAddress> of(VerbsProvider provider, DeviceChoice choice)
      throws IOException {
    Look look = new Look(choice, hostAddresses(provider));
    List<IbvContext> devices = provider.devices();
    int broken = 0;
    for (IbvContext context : devices) {
      try {
        look.at(VerbsContext.of(context));
      } catch (IOException e) {
        if (++broken == devices.size()) {
          throw e;
        }
      }
    }
    if (!look.others.isEmpty()) {
      look.atInterfaces();
    }
    return List.copyOf(look.found);
  }

  /**
   * Returns the addresses of interfaces that this process sees. A device's interface may be in
   * another namespace.
   */
  private static List<HostAddress> hostAddresses(VerbsProvider provider) {
    try {
      return provider.hostAddresses();
    } catch (IOException e) {
      return List.of(); // The devices' own data must do.
    }
  }

  private static final class Look {
    private final DeviceChoice choice;
    private final List<DeviceAddress> found = new ArrayList<>();
    private final Set<InetAddress> inTables = new HashSet<>();
    private final Set<InetAddress> used = new HashSet<>();
    private final Map<InetAddress, HostAddress> ofHost = new LinkedHashMap<>();

    /**
     * Ports that are not RoCE. Their interface is found by its hardware address, which is the GID.
     */
    private final List<OtherPort> others = new ArrayList<>();

    private record OtherPort(String device, int port, boolean active, List<GidEntry> gids) {
      /** Newer kernels name the interface of an iWARP port. */
      boolean isLedToBy(HostAddress address) {
        return gids.stream()
            .anyMatch(gid -> gid.netdev().equals(address.netdev()) || address.leadsTo(gid.gid()));
      }
    }

    Look(DeviceChoice choice, List<HostAddress> addresses) {
      this.choice = choice;
      addresses.forEach(one -> ofHost.put(one.address(), one));
    }

    void at(VerbsContext device) throws IOException {
      DeviceAttributes attributes = device.queryDevice();
      for (int port = 1; port <= attributes.ports(); port++) {
        PortAttributes state = device.queryPort(port);
        boolean roce =
            state.ethernet() && attributes.transport() != DeviceAttributes.Transport.IWARP;
        List<GidEntry> gids = new ArrayList<>();
        if (!roce) {
          others.add(new OtherPort(device.deviceName(), port, state.active(), gids));
        }
        GidEntry.Type connectsBy = roce ? device.connectsBy(port) : GidEntry.Type.IB;
        int empty = 0;
        for (int i = 0; i < state.gidTableLength(); i++) {
          if (empty < EMPTY_IN_A_ROW || i == choice.gid()) {
            GidEntry entry = device.queryGid(port, i);
            empty = entry.gid().isEmpty() ? empty + 1 : 0;
            if (!entry.gid().isEmpty()) {
              gids.add(entry);
              add(device.deviceName(), port, i, entry, roce, state.active(), connectsBy);
            }
          }
        }
      }
    }

    private void add(
        String device,
        int port,
        int index,
        GidEntry entry,
        boolean roce,
        boolean active,
        GidEntry.Type connectsBy) {
      InetAddress address = entry.gid().toAddress();
      if (roce) {
        inTables.add(address);
      }
      DeviceAddress one =
          new DeviceAddress(
              device,
              port,
              index,
              address,
              roce ? entry.type() : GidEntry.Type.IB,
              entry.netdev(),
              network(address),
              "");
      String objection = active ? "" : "the port is not active";
      // An older kernel, or a container, may show neither type.
      boolean told = connectsBy != GidEntry.Type.IB && entry.type() != GidEntry.Type.IB;
      if (!roce) {
        objection = "a GID that is no IP address";
      }
      if (objection.isEmpty() && told && entry.type() != connectsBy) {
        objection = "connections are made by " + connectsBy;
      }
      judge(one, objection);
    }

    private DeviceChoice.Subnet network(InetAddress address) {
      HostAddress of = ofHost.get(address);
      boolean v4 = address.getAddress().length == 4;
      int bits = of == null ? 0 : of.bits();
      boolean known = bits > 0 && bits <= (v4 ? 32 : 128);
      return new DeviceChoice.Subnet(address, known ? bits : v4 ? 24 : 64);
    }

    void atInterfaces() {
      List<HostAddress> left = new ArrayList<>();
      for (HostAddress one : ofHost.values()) {
        if (reachesFar(one.address())) {
          List<OtherPort> ports = others.stream().filter(port -> port.isLedToBy(one)).toList();
          for (OtherPort port : ports) {
            judge(
                ofInterface(one, port.device(), port.port()),
                port.active() ? "" : "the port is not active");
          }
          if (ports.isEmpty()) {
            left.add(one);
          }
        }
      }
      for (HostAddress one : left) {
        if (!inTables.contains(one.address())) {
          judge(
              ofInterface(one, "", -1),
              one.hardware().isEmpty() ? "" : "its interface leads to no verbs device");
        }
      }
    }

    private DeviceAddress ofInterface(HostAddress one, String device, int port) {
      InetAddress address = one.address();
      return new DeviceAddress(
          device, port, -1, address, GidEntry.Type.IB, one.netdev(), network(address), "");
    }

    /**
     * Returns whether another network namespace has the address: containers that share a device see
     * each other's GIDs. A JVM may see no addresses of a family.
     */
    private boolean isElsewhere(InetAddress address) {
      return !ofHost.containsKey(address)
          && ofHost.keySet().stream().anyMatch(one -> one.getClass() == address.getClass());
    }

    private void judge(DeviceAddress one, String before) {
      String objection = before;
      if (objection.isEmpty() && one.address().isLinkLocalAddress()) {
        objection = "link-local";
      }
      if (objection.isEmpty() && !reachesFar(one.address())) {
        objection = "no other host reaches it";
      }
      if (objection.isEmpty() && isElsewhere(one.address())) {
        objection = "no network interface here has it";
      }
      if (objection.isEmpty()) {
        objection = choice.objectionTo(one);
      }
      if (objection.isEmpty() && !used.add(one.address())) {
        objection = "the same as one before";
      }
      found.add(one.objected(objection));
    }
  }
}
