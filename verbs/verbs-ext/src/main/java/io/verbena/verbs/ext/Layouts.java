package io.verbena.verbs.ext;

import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * Sizes and offsets, in bytes, of the structures of the data path, as on every 64-bit Linux since
 * 2017 (rdma-core 15). Work requests and completions of real devices and of the fabric in memory
 * have the same layout, which is defined here.
 */
public final class Layouts {
  /**
   * {@code struct ibv_send_wr}.
   *
   * <pre>
   *   0 wr_id           40 remote_addr             80 bind: mw
   *   8 next            48 rkey | compare_add      88 bind: rkey
   *  16 sg_list         56 swap                    96 bind: mr
   *  24 num_sge         64 rkey of an atomic      104 bind: addr
   *  28 opcode                                    112 bind: length
   *  32 send_flags                                120 bind: access
   *  36 imm_data (big-endian) | invalidate_rkey
   * </pre>
   */
  public static final int SEND_WR_SIZE = 128;

  public static final int WR_ID = 0;
  public static final int WR_NEXT = 8;
  public static final int WR_SG_LIST = 16;
  public static final int WR_NUM_SGE = 24;
  public static final int SEND_WR_OPCODE = 28;
  public static final int SEND_WR_FLAGS = 32;
  public static final int SEND_WR_IMMEDIATE = 36;
  public static final int SEND_WR_REMOTE_ADDRESS = 40;
  public static final int SEND_WR_RDMA_RKEY = 48;
  public static final int SEND_WR_COMPARE_ADD = 48;
  public static final int SEND_WR_SWAP = 56;
  public static final int SEND_WR_ATOMIC_RKEY = 64;
  public static final int SEND_WR_BIND_MW = 80;
  public static final int SEND_WR_BIND_RKEY = 88;
  public static final int SEND_WR_BIND_MR = 96;
  public static final int SEND_WR_BIND_ADDRESS = 104;
  public static final int SEND_WR_BIND_LENGTH = 112;
  public static final int SEND_WR_BIND_ACCESS = 120;

  /** {@code struct ibv_recv_wr}: the first 28 bytes of a send request, padded. */
  public static final int RECV_WR_SIZE = 32;

  /** {@code struct ibv_sge}. */
  public static final int SGE_SIZE = 16;

  public static final int SGE_ADDRESS = 0;
  public static final int SGE_LENGTH = 8;
  public static final int SGE_LKEY = 12;

  /** {@code struct ibv_wc}. */
  public static final int WC_SIZE = 48;

  public static final int WC_STATUS = 8;
  public static final int WC_OPCODE = 12;
  public static final int WC_VENDOR_ERROR = 16;
  public static final int WC_BYTE_LENGTH = 20;
  public static final int WC_IMMEDIATE = 24;
  public static final int WC_QP_NUMBER = 28;
  public static final int WC_SOURCE_QP = 32;
  public static final int WC_FLAGS = 36;
  public static final int WC_PKEY_INDEX = 40;
  public static final int WC_SOURCE_LID = 42;
  public static final int WC_SERVICE_LEVEL = 44;
  public static final int WC_DESTINATION_PATH_BITS = 45;

  /** Immediate data travels in network order. */
  public static final ValueLayout.OfInt BIG_ENDIAN_INT =
      ValueLayout.JAVA_INT.withOrder(ByteOrder.BIG_ENDIAN);

  private Layouts() {}
}
