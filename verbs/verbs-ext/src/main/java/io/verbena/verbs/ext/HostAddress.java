package io.verbena.verbs.ext;

import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.HexFormat;

/**
 * An IP address of this host.
 *
 * @param netdev the network interface that has it, such as {@code ib0}
 * @param hardware the interface's hardware address, such as {@code 52:54:00:12:34:56}; empty if it
 *     is unknown
 * @param address the address
 * @param bits the prefix length of the network that is reached without a router
 */
public record HostAddress(String netdev, String hardware, InetAddress address, int bits) {
  private static final HexFormat COLONS = HexFormat.ofDelimiter(":");

  /** The offset of the port's GID in the hardware address of an IPoIB interface. */
  private static final int IPOIB_PREFIX = 4;

  /**
   * Returns whether the address belongs to the port with this GID, in the view of the connection
   * manager, for a port that is not RoCE. On IPoIB the interface's hardware address contains the
   * GID. On iWARP the GID begins with it.
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
