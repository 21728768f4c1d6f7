package io.verbena.verbs.ffm.abi;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.ValueLayout;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes {@code sockaddr_in} and {@code sockaddr_in6}, which are the same on all of
 * Linux.
 *
 * <pre>
 *   IPv4  family:2 port:2 address:4 zero:8
 *   IPv6  family:2 port:2 flow:4 address:16 scope:4
 * </pre>
 */
public final class SocketAddresses {
  private SocketAddresses() {}

  private static final short AF_INET = 2;
  private static final short AF_INET6 = 10;
  private static final int IPV4_BYTES = 16;
  private static final int IPV6_BYTES = 28;
  private static final ValueLayout.OfShort PORT =
      ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

  /** Writes an address for C. */
  public static MemorySegment write(SegmentAllocator allocator, SocketAddress address)
      throws IOException {
    if (!(address instanceof InetSocketAddress socket)) {
      throw new IOException("rdma_cm takes IP addresses, not " + address);
    }
    return switch (socket.getAddress()) {
      case Inet4Address ip -> write4(allocator, ip, socket.getPort());
      case Inet6Address ip -> write6(allocator, ip, socket.getPort());
      case null -> throw new UnknownHostException(socket.getHostString());
      default -> throw new IOException("rdma_cm takes IPv4 and IPv6, not " + address);
    };
  }

  private static MemorySegment write4(SegmentAllocator allocator, Inet4Address ip, int port) {
    MemorySegment out = allocator.allocate(IPV4_BYTES, 8);
    out.set(JAVA_SHORT, 0, AF_INET);
    out.set(PORT, 2, (short) port);
    MemorySegment.copy(ip.getAddress(), 0, out, JAVA_BYTE, 4, 4);
    return out;
  }

  private static MemorySegment write6(SegmentAllocator allocator, Inet6Address ip, int port) {
    MemorySegment out = allocator.allocate(IPV6_BYTES, 8);
    out.set(JAVA_SHORT, 0, AF_INET6);
    out.set(PORT, 2, (short) port);
    MemorySegment.copy(ip.getAddress(), 0, out, JAVA_BYTE, 8, 16);
    out.set(JAVA_INT, 24, ip.getScopeId());
    return out;
  }

  /** Reads an address that C wrote; null if it is not an IP address (yet). */
  public static @Nullable InetSocketAddress read(MemorySegment in) throws IOException {
    int port = in.get(PORT, 2) & 0xffff;
    return switch (in.get(JAVA_SHORT, 0)) {
      case AF_INET -> new InetSocketAddress(InetAddress.getByAddress(bytes(in, 4, 4)), port);
      case AF_INET6 -> new InetSocketAddress(ipv6(in), port);
      default -> null;
    };
  }

  private static InetAddress ipv6(MemorySegment in) throws IOException {
    byte[] raw = bytes(in, 8, 16);
    int scope = in.get(JAVA_INT, 24);
    return scope == 0 ? InetAddress.getByAddress(raw) : Inet6Address.getByAddress(null, raw, scope);
  }

  private static byte[] bytes(MemorySegment in, long offset, int length) {
    return in.asSlice(offset, length).toArray(JAVA_BYTE);
  }
}
