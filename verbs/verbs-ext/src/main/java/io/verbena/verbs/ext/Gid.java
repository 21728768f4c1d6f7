package io.verbena.verbs.ext;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;

/**
 * A global identifier of a port: 128 bits in network order, on RoCE an IP address.
 *
 * @param high the first eight bytes
 * @param low the last eight bytes
 */
public record Gid(long high, long low) {
  /** Returns whether it is the empty entry of a table. */
  public boolean isEmpty() {
    return high == 0 && low == 0;
  }

  /** Returns its address: an IPv4 address if it is IPv4-mapped, else an IPv6 address. */
  public InetAddress toAddress() {
    try {
      return InetAddress.getByAddress(ByteBuffer.allocate(16).putLong(high).putLong(low).array());
    } catch (UnknownHostException impossible) {
      throw new AssertionError("16 bytes are an address", impossible);
    }
  }

  @Override
  public String toString() {
    return toAddress().getHostAddress();
  }
}
