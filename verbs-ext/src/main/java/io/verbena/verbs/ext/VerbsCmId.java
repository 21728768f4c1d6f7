package io.verbena.verbs.ext;

import com.ibm.disni.verbs.RdmaCmId;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * What {@link RdmaCmId} cannot say: refusing a connection and setting its timers. Implemented by
 * the provider's id class; safe for use by several threads.
 */
public interface VerbsCmId {
  /** The extension of an id; fails with {@link IllegalArgumentException} where it has none. */
  static VerbsCmId of(RdmaCmId id) {
    return Extensions.of(id, VerbsCmId.class);
  }

  /**
   * Refuses a connection request; the peer's event is REJECTED with status 28 and this data.
   *
   * @param privateData from its position to its limit, which are left alone; at most {@link
   *     ConnectionParameters#MAX_REJECT_DATA} bytes
   */
  void reject(ByteBuffer privateData) throws IOException;

  /**
   * Sets the time after which an unacknowledged packet is sent again ({@code
   * RDMA_OPTION_ID_ACK_TIMEOUT}); before connect or accept.
   *
   * @param exponent 0..31: 4.096 us times 2 to that; 0 is for ever. 14 is 67 ms, 18 is 1 s.
   */
  void setAckTimeout(int exponent) throws IOException;

  /**
   * Sets the traffic class of the packets ({@code RDMA_OPTION_ID_TOS}), of both ends: the other one
   * takes it from the connection request. Before the address is resolved.
   *
   * @param value 0..255: on RoCE v2 the byte of the IP header, DSCP times 4 and two bits of ECN
   */
  void setTrafficClass(int value) throws IOException;
}
