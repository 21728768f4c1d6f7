package io.verbena.verbs.ext;

/** The operation of a send work request ({@code enum ibv_wr_opcode}). */
public final class SendOpcode {
  public static final int RDMA_WRITE = 0;
  public static final int RDMA_WRITE_WITH_IMM = 1;
  public static final int SEND = 2;
  public static final int SEND_WITH_IMM = 3;
  public static final int RDMA_READ = 4;
  public static final int ATOMIC_CMP_AND_SWP = 5;
  public static final int ATOMIC_FETCH_AND_ADD = 6;

  /** Invalidates a type 2 window of this side; set its rkey by {@link SendBlock#invalidate}. */
  public static final int LOCAL_INV = 7;

  /** Binds a type 2 window; see {@link SendBlock#bind}. */
  public static final int BIND_MW = 8;

  /** Sends, and also invalidates a window of the receiver. */
  public static final int SEND_WITH_INV = 9;

  private SendOpcode() {}

  /** Returns the name, for messages; never fails. */
  public static String name(int opcode) {
    return switch (opcode) {
      case RDMA_WRITE -> "RDMA_WRITE";
      case RDMA_WRITE_WITH_IMM -> "RDMA_WRITE_WITH_IMM";
      case SEND -> "SEND";
      case SEND_WITH_IMM -> "SEND_WITH_IMM";
      case RDMA_READ -> "RDMA_READ";
      case ATOMIC_CMP_AND_SWP -> "ATOMIC_CMP_AND_SWP";
      case ATOMIC_FETCH_AND_ADD -> "ATOMIC_FETCH_AND_ADD";
      case LOCAL_INV -> "LOCAL_INV";
      case BIND_MW -> "BIND_MW";
      case SEND_WITH_INV -> "SEND_WITH_INV";
      default -> "opcode " + opcode;
    };
  }
}
