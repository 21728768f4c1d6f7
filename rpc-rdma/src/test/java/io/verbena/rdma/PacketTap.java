package io.verbena.rdma;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.ArrayList;
import java.util.List;

/**
 * Hears every packet of this machine's interfaces, in and out. Needs to be root. The kernel keeps
 * some hundred of them, so whoever has one calls {@link #hear} often.
 */
final class PacketTap implements AutoCloseable {
  private static final int AF_PACKET = 17;
  private static final int SOCK_RAW = 3;
  private static final int ETH_P_ALL = 0x0300; // in network order
  private static final int MSG_DONTWAIT = 0x40;
  private static final int SOL_PACKET = 263;
  private static final int PACKET_STATISTICS = 6;
  private static final int ETHERNET_BYTES = 14;
  private static final int IPV4 = 0x0800;
  private static final int UDP = 17;
  private static final int ROCE_V2_PORT = 4791;
  private static final MethodHandle SOCKET =
      function("socket", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT));
  private static final MethodHandle RECEIVE =
      function("recv", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT));
  private static final MethodHandle OPTION =
      function(
          "getsockopt",
          FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS, ADDRESS));
  private static final MethodHandle CLOSE =
      function("close", FunctionDescriptor.of(JAVA_INT, JAVA_INT));

  private final int socket;
  private final List<Packet> packets = new ArrayList<>();

  /**
   * A packet of RoCE v2 by IPv4.
   *
   * @param source the address
   * @param trafficClass the second byte of the IP header
   * @param queuePair where it goes; 1 is the connection managers'
   */
  record Packet(String source, int trafficClass, int queuePair) {}

  PacketTap() {
    try {
      socket = (int) SOCKET.invokeExact(AF_PACKET, SOCK_RAW, ETH_P_ALL);
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
    if (socket < 0) {
      throw new AssertionError("no packets can be heard here");
    }
  }

  private static MethodHandle function(String name, FunctionDescriptor shape) {
    Linker linker = Linker.nativeLinker();
    return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), shape);
  }

  /** Returns those of RoCE v2 up to now, all of them. */
  List<Packet> heard() {
    hear();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment counts = arena.allocate(JAVA_INT, 2);
      MemorySegment length = arena.allocateFrom(JAVA_INT, (int) counts.byteSize());
      int status = (int) OPTION.invokeExact(socket, SOL_PACKET, PACKET_STATISTICS, counts, length);
      int lost = counts.getAtIndex(JAVA_INT, 1);
      if (status != 0 || lost > 0) {
        throw new AssertionError(lost + " packets were not heard in time");
      }
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
    return packets;
  }

  /** Takes what the kernel has kept. */
  void hear() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment frame = arena.allocate(1 << 14);
      long length;
      while ((length = (long) RECEIVE.invokeExact(socket, frame, frame.byteSize(), MSG_DONTWAIT))
          >= 0) {
        byte[] bytes = frame.asSlice(0, length).toArray(JAVA_BYTE);
        int ip = ETHERNET_BYTES;
        int udp = ip + 20;
        int transport = udp + 8;
        if (length >= transport + 12
            && u16(bytes, 12) == IPV4
            && bytes[ip + 9] == UDP
            && u16(bytes, udp + 2) == ROCE_V2_PORT) {
          packets.add(
              new Packet(
                  source(bytes, ip + 12),
                  bytes[ip + 1] & 0xff,
                  (bytes[transport + 5] & 0xff) << 16 | u16(bytes, transport + 6)));
        }
      }
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
  }

  private static int u16(byte[] bytes, int at) {
    return (bytes[at] & 0xff) << 8 | (bytes[at + 1] & 0xff);
  }

  private static String source(byte[] bytes, int at) {
    return "%d.%d.%d.%d"
        .formatted(
            bytes[at] & 0xff, bytes[at + 1] & 0xff, bytes[at + 2] & 0xff, bytes[at + 3] & 0xff);
  }

  @Override
  public void close() {
    try {
      int status = (int) CLOSE.invokeExact(socket);
      if (status != 0) {
        throw new AssertionError("the socket cannot be closed");
      }
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
  }
}
