package io.verbena.verbs.ext;

import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.HexFormat;

/**
 * An IP address of this host.
 *
 * @param netdev the network interface that has it, such as {@code ib0}
 * @param hardware the interface's hardware address, as {@code 52:54:00:12:34:56}; empty where it is
 *     not known
 * @param address the address
 * @param bits how many of its bits the addresses have in common that are reached without a router
 */
public record HostAddress(String netdev, String hardware, InetAddress address, int bits) {
  private static final HexFormat COLONS = HexFormat.ofDelimiter(":");

  /** Where the port's GID is in the hardware address of an IPoIB interface. */
  private static final int IPOIB_PREFIX = 4;

  /**
   * Returns whether the connection manager takes the port with this GID for the address's, where
   * the port is no RoCE: on IPoIB the interface's hardware address has the GID in it, on iWARP it
   * is the beginning of the GID.
   */
  public boolean leadsTo(Gid gid) {
    byte[] own;
    try {
      own = COLONS.parseHex(hardware);
    } catch (IllegalArgumentException e) {
      return false;
    }
    ByteBuffer bytes = ByteBuffer.allocate(2 * Long.BYTES);
    if (own.length == IPOIB_PREFIX + bytes.capacity()) {
      bytes.put(own, IPOIB_PREFIX, bytes.capacity());
    } else if (own.length <= bytes.capacity()) {
      bytes.put(own);
    }
    Gid its = new Gid(bytes.getLong(0), bytes.getLong(Long.BYTES));
    return !its.isEmpty() && its.equals(gid);
  }
}
