package io.verbena.cli.doctor;

import io.verbena.rdma.DeviceAddress;
import io.verbena.rdma.DeviceAddresses;
import io.verbena.verbs.ext.DeviceAttributes.Transport;
import io.verbena.verbs.ext.PortAttributes;
import io.verbena.verbs.ext.VerbsContext;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A port of a device, with the GIDs that are its addresses. */
final class DevicePort {
  private final Host host;
  private final VerbsContext device;
  private final int number;
  private final PortAttributes port;
  private final Transport transport;
  private final String directory;
  private final List<DeviceAddress> addresses;
  private final @Nullable DeviceAddress first;
  private final boolean bindingTells;
  private boolean hasAddress;
  private boolean isChosen;

  /**
   * A port.
   *
   * @param addresses those of its GIDs, and of interfaces that lead to it
   * @param first the one of all devices that is chosen where none is nearer; null for none
   * @param bindingTells whether addresses that are no RoCE device's may be its own
   */
  DevicePort(
      Host host,
      VerbsContext device,
      int number,
      PortAttributes port,
      Transport transport,
      List<DeviceAddress> addresses,
      @Nullable DeviceAddress first,
      boolean bindingTells) {
    this.host = host;
    this.bindingTells = bindingTells;
    this.addresses = addresses;
    this.first = first;
    this.device = device;
    this.number = number;
    this.port = port;
    this.transport = transport;
    this.directory = "/sys/class/infiniband/" + device.deviceName() + "/ports/" + number;
  }

  private boolean isRoce() {
    return port.ethernet() && transport != Transport.IWARP;
  }

  private String name() {
    return device.deviceName() + " port " + number;
  }

  /** Whether calls can go through it; known after {@link #findings()}. */
  boolean carriesSessions() {
    return port.active() && (isChosen || (bindingTells && !isRoce()));
  }

  List<Finding> findings() {
    List<Finding> findings = new ArrayList<>();
    findings.add(state());
    for (DeviceAddress one : addresses) {
      findings.add(one.gid() >= 0 && !isRoce() ? otherGid(one) : address(one));
    }
    if (!isRoce() && !hasAddress && !bindingTells) {
      findings.add(
          Finding.missing(
              name(),
              "no interface with an IP address leads to it, in this network namespace",
              "ip address add ADDRESS/24 dev " + (port.ethernet() ? networkDevice(0) : "ib0")));
    }
    if (isRoce() && !hasAddress) {
      findings.add(
          Finding.missing(
              name(),
              "no IP address among its GIDs, in this network namespace",
              "ip address add ADDRESS/24 dev " + networkDevice(0)));
    }
    return findings;
  }

  private Finding state() {
    String layer =
        transport == Transport.IWARP ? "iWARP" : port.ethernet() ? "Ethernet" : "InfiniBand";
    if (!port.active()) {
      String cure =
          port.ethernet()
              ? "ip link set " + networkDevice(0) + " up"
              : "connect the cable, and run a subnet manager (opensm) in the fabric";
      return Finding.missing(name(), layer + ", not active", cure);
    }
    String rate = host.text(directory + "/rate").map(text -> ", " + text).orElse("");
    return Finding.ok(
        name(),
        "active, %s, MTU %d (at most %d)%s"
            .formatted(layer, port.activeMtu(), port.maxMtu(), rate));
  }

  /** Elsewhere than on RoCE a GID is no IP address: rdma_cm goes by those of the interface. */
  private static Finding otherGid(DeviceAddress one) {
    return Finding.note("GID " + one.gid(), one.described());
  }

  private Finding address(DeviceAddress one) {
    String what = one.gid() < 0 ? "address" : "GID " + one.gid();
    hasAddress |= DeviceAddresses.reachesFar(one.address());
    if (!one.isUsed()) {
      return Finding.note(what, one.described() + "; not chosen: " + one.objection());
    }
    isChosen = true;
    String further = one.equals(first) ? ", and beyond routers" : "";
    return Finding.ok(what, one.described() + "; chosen for peers in " + one.network() + further);
  }

  private String networkDevice(int gidIndex) {
    return host.text(directory + "/gid_attrs/ndevs/" + gidIndex)
        .or(() -> host.text("/sys/class/infiniband/" + device.deviceName() + "/parent"))
        .orElse("its network device");
  }
}
