package io.verbena.cli.doctor;

import io.verbena.rdma.DeviceAddress;
import io.verbena.rdma.DeviceAddresses;
import io.verbena.verbs.ext.DeviceAttributes.Transport;
import io.verbena.verbs.ext.PortAttributes;
import io.verbena.verbs.ext.VerbsContext;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A port of a device, with the GIDs that serve as addresses. */
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
   * Makes a port.
   *
   * @param addresses the addresses of the port's GIDs, and of interfaces that lead to the port
   * @param first the address of this host for peers behind routers; null for none
   * @param bindingTells whether addresses that belong to no RoCE device may be the port's
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

  /** Returns whether sessions can use the port. Call {@link #findings()} before. */
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
              "no interface of this network namespace has an IP address and leads to the port",
              "ip address add ADDRESS/24 dev " + (port.ethernet() ? networkDevice(0) : "ib0")));
    }
    if (isRoce() && !hasAddress) {
      findings.add(
          Finding.missing(
              name(),
              "no GID of the port is an IP address of this network namespace",
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

  /** Outside RoCE a GID is not an IP address. rdma_cm uses the addresses of the interface. */
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
    String further = one.equals(first) ? ", and for peers behind routers" : "";
    return Finding.ok(what, one.described() + "; chosen for peers in " + one.network() + further);
  }

  private String networkDevice(int gidIndex) {
    return host.text(directory + "/gid_attrs/ndevs/" + gidIndex)
        .or(() -> host.text("/sys/class/infiniband/" + device.deviceName() + "/parent"))
        .orElse("its network device");
  }
}
