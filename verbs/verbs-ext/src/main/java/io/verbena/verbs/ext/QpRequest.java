package io.verbena.verbs.ext;

import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvQPInitAttr;

/** Checks a program's request for a queue pair, for all providers. */
public final class QpRequest {
  /** The least number of pieces that libdisni allows every queue pair. */
  private static final int LEAST_PIECES = 4;

  private QpRequest() {}

  /**
   * Returns the type; a reliable connection if none is set. Refuses all other types. DiSNI cannot
   * address a datagram, and a device's library would follow a pointer that was not set.
   */
  public static int type(IbvQPInitAttr attr) throws VerbsException {
    if (attr.getQp_type() != 0 && attr.getQp_type() != IbvQP.IBV_QPT_RC) {
      throw new VerbsException(
          "rdma_create_qp",
          Errno.EOPNOTSUPP,
          "only reliable connected queue pairs are supported, not type "
              + attr.getQp_type()
              + ". Ask for IBV_QPT_RC.");
    }
    return IbvQP.IBV_QPT_RC;
  }

  /**
   * Returns the number of pieces that a request may have: the requested number, but no fewer than
   * libdisni allows, because programs rely on that. A device may have fewer (Intel X722 has 3).
   *
   * @param most the device's limit
   */
  public static int pieces(int asked, int most) {
    return Math.max(asked, Math.min(LEAST_PIECES, most));
  }
}
