package io.verbena.verbs.ext;

import com.ibm.disni.verbs.RdmaCmId;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Extends {@link RdmaCmId}: refuses a connection, and sets its timers. Implemented by the
 * provider's id class; safe for use by several threads.
 */
public interface VerbsCmId {
  /** Returns the extension of an id. Throws {@link IllegalArgumentException} if it has none. */
  static VerbsCmId of(RdmaCmId id) {
    return Extensions.of(id, VerbsCmId.class);
  }

  /**
   * Refuses a connection request. The peer gets a REJECTED event with status 28 and this data.
   *
   * @param privateData from its position to its limit, which do not change; at most {@link
   *     ConnectionParameters#MAX_REJECT_DATA} bytes
   */
  void reject(ByteBuffer privateData) throws IOException;

  /**
   * Sets the time after which an unacknowledged packet is sent again ({@code
   * RDMA_OPTION_ID_ACK_TIMEOUT}). Call it before connect or accept.
   *
   * @param exponent 0..31: the time is 4.096 us times 2 to this power; 0 means for ever. 14 is 67
   *     ms, 18 is 1 s
   */
  void setAckTimeout(int exponent) throws IOException;

  /**
   * Sets the traffic class of packets ({@code RDMA_OPTION_ID_TOS}) of both ends; the other end
   * takes it from the connection request. Call it before the address is resolved.
   *
   * @param value 0..255: on RoCE v2 the byte of the IP header, DSCP times 4 plus two bits of ECN
   */
  void setTrafficClass(int value) throws IOException;
}
