package io.verbena.verbs.ffm.device;

import static io.verbena.verbs.ffm.abi.VerbsLayouts.CONTEXT;
import static io.verbena.verbs.ffm.abi.VerbsLayouts.DEVICE;
import static io.verbena.verbs.ffm.abi.VerbsLayouts.DEVICE_ATTR;
import static io.verbena.verbs.ffm.abi.VerbsLayouts.PORT_ATTR;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import io.verbena.verbs.ext.DeviceAttributes;
import io.verbena.verbs.ext.Gid;
import io.verbena.verbs.ext.PortAttributes;
import io.verbena.verbs.ffm.lib.Ibverbs;
import io.verbena.verbs.ffm.lib.Pointers;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** Queries a device for its limits, ports and GIDs. */
final class DeviceQueries {
  private static final int IBV_TRANSPORT_IB = 0;
  private static final int IBV_TRANSPORT_IWARP = 1;
  private static final int IBV_PORT_INIT = 2;
  private static final int IBV_PORT_ACTIVE = 4;
  private static final int IBV_LINK_LAYER_ETHERNET = 2;

  /** Newer kernels give this error for an empty entry of the GID table. */
  private static final int ENODATA = 61;

  private static final ValueLayout.OfLong NETWORK_LONG =
      ValueLayout.JAVA_LONG.withOrder(ByteOrder.BIG_ENDIAN);

  private DeviceQueries() {}

  static DeviceAttributes device(MemorySegment context, String name) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment attr = Pointers.room(arena, DEVICE_ATTR);
      Ibverbs.QUERY_DEVICE.zero(context, attr);
      return new DeviceAttributes(
          name,
          attr.getString(DEVICE_ATTR.offset("fw_ver")),
          transport(context),
          limit(attr, "vendor_id"),
          limit(attr, "device_cap_flags"),
          DeviceAttributes.AtomicCapability.of(limit(attr, "atomic_cap")),
          unlimited(attr.get(JAVA_LONG, DEVICE_ATTR.offset("max_mr_size"))),
          limit(attr, "max_qp"),
          limit(attr, "max_qp_wr"),
          limit(attr, "max_sge"),
          limit(attr, "max_cq"),
          limit(attr, "max_cqe"),
          limit(attr, "max_mr"),
          limit(attr, "max_pd"),
          limit(attr, "max_mw"),
          limit(attr, "max_srq"),
          limit(attr, "max_srq_wr"),
          limit(attr, "max_srq_sge"),
          limit(attr, "max_qp_rd_atom"),
          limit(attr, "max_qp_init_rd_atom"),
          attr.get(JAVA_BYTE, DEVICE_ATTR.offset("phys_port_cnt")) & 0xff);
    }
  }

  /** A length is unsigned in C. All ones mean that there is no limit. */
  private static long unlimited(long length) {
    return length < 0 ? Long.MAX_VALUE : length;
  }

  private static int limit(MemorySegment attr, String member) {
    return Pointers.u32(attr, DEVICE_ATTR, member);
  }

  private static DeviceAttributes.Transport transport(MemorySegment context) {
    MemorySegment device = Pointers.struct(Pointers.pointer(context, CONTEXT, "device"), DEVICE);
    return switch (Pointers.u32(device, DEVICE, "transport_type")) {
      case IBV_TRANSPORT_IB -> DeviceAttributes.Transport.INFINIBAND;
      case IBV_TRANSPORT_IWARP -> DeviceAttributes.Transport.IWARP;
      default -> DeviceAttributes.Transport.OTHER;
    };
  }

  static PortAttributes port(MemorySegment context, int port) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment attr = Pointers.room(arena, PORT_ATTR);
      Ibverbs.QUERY_PORT.zero(context, (byte) port, attr);
      return new PortAttributes(
          carries(Pointers.u32(attr, PORT_ATTR, "state"), transport(context)),
          mtuBytes(Pointers.u32(attr, PORT_ATTR, "active_mtu")),
          mtuBytes(Pointers.u32(attr, PORT_ATTR, "max_mtu")),
          Integer.toUnsignedLong(Pointers.u32(attr, PORT_ATTR, "max_msg_sz")),
          Pointers.u32(attr, PORT_ATTR, "gid_tbl_len"),
          attr.get(JAVA_SHORT, PORT_ATTR.offset("lid")) & 0xffff,
          attr.get(JAVA_BYTE, PORT_ATTR.offset("link_layer")) == IBV_LINK_LAYER_ETHERNET);
    }
  }

  /**
   * Returns whether a port carries traffic. On iWARP no subnet manager moves it from INIT to
   * ACTIVE: Chelsio's is in INIT while its interface has a carrier and no IPv4 address (Linux,
   * hw/cxgb4/provider.c), and connects over IPv6.
   */
  static boolean carries(int state, DeviceAttributes.Transport transport) {
    return state == IBV_PORT_ACTIVE
        || (state == IBV_PORT_INIT && transport == DeviceAttributes.Transport.IWARP);
  }

  /** {@code enum ibv_mtu} starts with 1 for 256 bytes. */
  static int mtuBytes(int value) {
    return value < 1 || value > 5 ? 0 : 128 << value;
  }

  static Gid gid(MemorySegment context, int port, int index) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment gid = arena.allocate(2 * Long.BYTES, Long.BYTES);
      return Ibverbs.QUERY_GID.unless(ENODATA, context, (byte) port, index, gid)
          ? new Gid(gid.get(NETWORK_LONG, 0), gid.get(NETWORK_LONG, Long.BYTES))
          : new Gid(0, 0);
    }
  }
}
