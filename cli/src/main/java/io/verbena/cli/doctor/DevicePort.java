package io.verbena.cli.doctor;

import io.verbena.verbs.ext.DeviceAttributes.Transport;
import io.verbena.verbs.ext.Gid;
import io.verbena.verbs.ext.PortAttributes;
import io.verbena.verbs.ext.VerbsContext;
import java.io.IOException;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;

/** A port of a device, with the GIDs that are its addresses. */
final class DevicePort {
  /** GID tables are filled from the front and may have a thousand places. */
  private static final int EMPTY_IN_A_ROW = 8;

  private final Host host;
  private final VerbsContext device;
  private final int number;
  private final PortAttributes port;
  private final Transport transport;
  private final String directory;
  private boolean hasAddress;

  DevicePort(Host host, VerbsContext device, int number, PortAttributes port, Transport transport) {
    this.host = host;
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
    // Elsewhere than on RoCE a GID is no IP address: rdma_cm goes by those of the interface.
    return port.active() && (hasAddress || !isRoce());
  }

  List<Finding> findings() throws IOException {
    List<Finding> findings = new ArrayList<>();
    findings.add(state());
    int empty = 0;
    for (int i = 0; i < port.gidTableLength() && empty < EMPTY_IN_A_ROW; i++) {
      Gid gid = device.queryGid(number, i);
      empty = gid.isEmpty() ? empty + 1 : 0;
      if (!gid.isEmpty()) {
        findings.add(gid(i, gid.toAddress()));
      }
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

  private Finding gid(int index, InetAddress address) {
    String what = "GID " + index;
    if (!isRoce()) {
      return Finding.note(what, address.getHostAddress());
    }
    String type =
        host.text(directory + "/gid_attrs/types/" + index)
            .map(text -> text.equals("IB/RoCE v1") ? "RoCE v1" : text)
            .orElse("RoCE of unknown version");
    String detail = address.getHostAddress() + ", " + type + ", " + networkDevice(index);
    if (address.isLinkLocalAddress()) {
      return Finding.note(what, detail + ", link-local");
    }
    hasAddress = true;
    return Finding.ok(what, detail);
  }

  private String networkDevice(int gidIndex) {
    return host.text(directory + "/gid_attrs/ndevs/" + gidIndex)
        .or(() -> host.text("/sys/class/infiniband/" + device.deviceName() + "/parent"))
        .orElse("its network device");
  }
}
