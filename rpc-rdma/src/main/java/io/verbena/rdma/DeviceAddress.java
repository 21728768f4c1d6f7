package io.verbena.rdma;

import io.verbena.verbs.ext.GidEntry;
import java.net.InetAddress;

/**
 * An address of this host that may belong to a verbs device, and whether links use it.
 *
 * @param device the device's name; empty if only a bind can tell, as on IPoIB and iWARP
 * @param port the device's port, or -1 if it is unknown
 * @param gid its index in the port's GID table, or -1 if it is not in the table
 * @param type the format of packets from this address
 * @param netdev the network interface that has it, or an empty text
 * @param network the addresses that are reached from it without a router
 * @param objection the reason that links do not use it, in a few words; empty if they do
 */
public record DeviceAddress(
    String device,
    int port,
    int gid,
    InetAddress address,
    GidEntry.Type type,
    String netdev,
    DeviceChoice.Subnet network,
    String objection) {
  /** Returns whether links use it. */
  public boolean isUsed() {
    return objection.isEmpty();
  }

  /** Returns the name of its adapter, which is a port of a device. It is unique on this host. */
  public String adapter() {
    return device.isEmpty() ? address.getHostAddress() : device + " port " + port;
  }

  DeviceAddress objected(String why) {
    return new DeviceAddress(device, port, gid, address, type, netdev, network, why);
  }

  /**
   * Returns the device and the address, such as {@code rxe0 port 1 GID 1: 10.7.0.1, RoCE v2, eth0}.
   */
  @Override
  public String toString() {
    String index = gid < 0 ? "" : " GID " + gid;
    String where = device.isEmpty() ? "" : device + " port " + port + index + ": ";
    return where + described();
  }

  /** Returns the address, such as {@code 10.7.0.1, RoCE v2, eth0}. */
  public String described() {
    String kind = type == GidEntry.Type.IB ? "" : ", " + type;
    return address.getHostAddress() + kind + (netdev.isEmpty() ? "" : ", " + netdev);
  }
}
