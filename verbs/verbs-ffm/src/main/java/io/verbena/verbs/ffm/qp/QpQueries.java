package io.verbena.verbs.ffm.qp;

import static io.verbena.verbs.ffm.abi.VerbsLayouts.QP_ATTR;
import static io.verbena.verbs.ffm.abi.VerbsLayouts.QP_INIT_ATTR;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import io.verbena.verbs.ext.QpAttributes;
import io.verbena.verbs.ext.QpChange;
import io.verbena.verbs.ext.QpState;
import io.verbena.verbs.ffm.lib.Ibverbs;
import io.verbena.verbs.ffm.lib.Pointers;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Reads and changes the attributes of a queue pair. */
final class QpQueries {
  /**
   * The attributes in QpAttributes: state, access, MTU, timers, retries, depths, sizes and peer.
   */
  private static final int EVERYTHING_SHOWN =
      1 | 1 << 3 | 1 << 8 | 1 << 9 | 1 << 10 | 1 << 11 | 1 << 13 | 1 << 15 | 1 << 17 | 1 << 19
          | 1 << 20;

  private QpQueries() {}

  @SuppressWarnings("EnumOrdinal") // the constants have the order of C
  static void modify(MemorySegment qp, QpChange change) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment attr = Pointers.room(arena, QP_ATTR);
      attr.set(JAVA_INT, QP_ATTR.offset("qp_state"), change.state().ordinal());
      attr.set(JAVA_INT, QP_ATTR.offset("qp_access_flags"), change.accessFlags());
      attr.set(JAVA_BYTE, QP_ATTR.offset("min_rnr_timer"), (byte) change.minRnrTimer());
      Ibverbs.MODIFY_QP.zero(qp, attr, change.mask());
    }
  }

  static QpAttributes query(MemorySegment qp) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment attr = Pointers.room(arena, QP_ATTR);
      MemorySegment init = Pointers.room(arena, QP_INIT_ATTR);
      Ibverbs.QUERY_QP.zero(qp, attr, EVERYTHING_SHOWN, init);
      return new QpAttributes(
          QpState.of(u32(attr, "qp_state")),
          u32(attr, "dest_qp_num"),
          u32(attr, "qp_access_flags"),
          u8(attr, "min_rnr_timer"),
          u8(attr, "timeout"),
          u8(attr, "retry_cnt"),
          u8(attr, "rnr_retry"),
          u8(attr, "max_rd_atomic"),
          u8(attr, "max_dest_rd_atomic"),
          mtuBytes(u32(attr, "path_mtu")),
          Pointers.u32(init, QP_INIT_ATTR, "cap.max_send_wr"),
          Pointers.u32(init, QP_INIT_ATTR, "cap.max_recv_wr"),
          Pointers.u32(init, QP_INIT_ATTR, "cap.max_send_sge"),
          Pointers.u32(init, QP_INIT_ATTR, "cap.max_recv_sge"),
          Pointers.u32(init, QP_INIT_ATTR, "cap.max_inline_data"));
    }
  }

  private static int mtuBytes(int value) {
    return value < 1 || value > 5 ? 0 : 128 << value;
  }

  private static int u32(MemorySegment attr, String member) {
    return Pointers.u32(attr, QP_ATTR, member);
  }

  private static int u8(MemorySegment attr, String member) {
    return attr.get(JAVA_BYTE, QP_ATTR.offset(member)) & 0xff;
  }
}
