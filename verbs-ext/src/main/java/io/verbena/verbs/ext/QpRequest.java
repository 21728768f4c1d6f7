package io.verbena.verbs.ext;

import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvQPInitAttr;

/** What a program asks of a new queue pair, as every provider takes it. */
public final class QpRequest {
  /** What libdisni gives every queue pair, whatever the program asked for. */
  private static final int LEAST_PIECES = 4;

  private QpRequest() {}

  /**
   * Refuses every type of queue pair but reliable connections: DiSNI cannot say where a datagram
   * goes, and a device's library follows a pointer that nobody has filled in.
   *
   * @return the type, where none is asked for the reliable connection
   */
  public static int type(IbvQPInitAttr attr) throws VerbsException {
    if (attr.getQp_type() != 0 && attr.getQp_type() != IbvQP.IBV_QPT_RC) {
      throw new VerbsException(
          "rdma_create_qp",
          Errno.EOPNOTSUPP,
          "only reliable connected queue pairs can be had, not type "
              + attr.getQp_type()
              + ". Ask for IBV_QPT_RC.");
    }
    return IbvQP.IBV_QPT_RC;
  }

  /**
   * Returns how many pieces a request may have: as many as asked for, but never fewer than libdisni
   * gives, which programs rely on.
   */
  public static int pieces(int asked) {
    return Math.max(asked, LEAST_PIECES);
  }
}
