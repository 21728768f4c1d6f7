package io.verbena.verbs.ext;

import java.util.Map;

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

  private static final Map<Integer, String> NAMES = Constants.names(SendOpcode.class);

  private SendOpcode() {}

  /** Returns the name, for messages; never fails. */
  public static String name(int opcode) {
    return NAMES.getOrDefault(opcode, "opcode " + opcode);
  }
}
