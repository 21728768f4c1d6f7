package io.verbena.verbs.ext;

import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaConnParam;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;

/**
 * Connection parameters with the setters that {@link RdmaConnParam} refuses, for connect and
 * accept.
 *
 * <p>Retries start at 7 (which for RNR means for ever) and not at DiSNI's 0, with which a single
 * lost packet ends the connection. Made by one thread, read by the call.
 *
 * <p>Providers read the fields by DiSNI's getters, bytes as unsigned, so that a plain RdmaConnParam
 * works as well, and make one of these for an event's {@code getConn()}.
 */
public final class ConnectionParameters extends RdmaConnParam {
  /** Bytes that a connect can carry; the peer sees as many, padded with zeros. */
  public static final int MAX_CONNECT_DATA = 56;

  /** Bytes that an accept can carry; the peer sees as many, padded with zeros. */
  public static final int MAX_ACCEPT_DATA = 196;

  /** Bytes that a reject can carry; the peer sees as many, padded with zeros. */
  public static final int MAX_REJECT_DATA = 148;

  /** Holds the private data that {@code private_data_addr} points to. */
  private MemorySegment privateData = MemorySegment.NULL;

  public ConnectionParameters() {
    retry_count = 7;
    rnr_retry_count = 7;
    responder_resources = 1;
    initiator_depth = 1;
  }

  /**
   * The private data of an event, copied, so that it outlives the event; empty where there is none.
   * It is padded with zeros: senders must carry their own length. Call before the event is
   * acknowledged.
   */
  public static ByteBuffer privateData(RdmaCmEvent event) {
    int length = event.getConn().getPrivate_data_len() & 0xff;
    byte[] copy = new byte[length];
    if (length > 0) {
      MemorySegment from =
          MemorySegment.ofAddress(event.getConn().getPrivate_data()).reinterpret(length);
      MemorySegment.copy(from, ValueLayout.JAVA_BYTE, 0, copy, 0, length);
    }
    return ByteBuffer.wrap(copy);
  }

  /**
   * Sets the private data that goes with the request or the reply.
   *
   * @param data copied from its position to its limit, which are left alone; at most 255 bytes
   *     here, and what the call allows there ({@link #MAX_CONNECT_DATA}, {@link #MAX_ACCEPT_DATA})
   */
  public ConnectionParameters privateData(ByteBuffer data) {
    int length = data.remaining();
    if (length > 255) {
      throw new IllegalArgumentException(
          "Private data of " + length + " bytes; a connection request carries at most 255.");
    }
    privateData = Arena.ofAuto().allocate(Math.max(1, length));
    MemorySegment.copy(MemorySegment.ofBuffer(data), 0, privateData, 0, length);
    private_data_addr = privateData.address();
    private_data_len = (byte) length;
    return this;
  }

  /** READs and atomics that this side accepts outstanding from the peer, 0..255. */
  @Override
  public void setResponder_resources(byte count) {
    responder_resources = count;
  }

  /** READs and atomics that this side will have outstanding, 0..255. */
  @Override
  public void setInitiator_depth(byte count) {
    initiator_depth = count;
  }

  @Override
  public void setFlow_control(byte onOff) {
    flow_control = onOff;
  }

  /** Repeats of an unacknowledged packet, 0..7. */
  @Override
  public void setRetry_count(byte count) {
    retry_count = count;
  }

  /** Repeats when the receiver is not ready, 0..7; 7 is for ever. */
  @Override
  public void setRnr_retry_count(byte count) {
    rnr_retry_count = count;
  }

  @Override
  public void setSrq(byte onOff) {
    srq = onOff;
  }

  @Override
  public void setQp_num(int number) {
    qp_num = number;
  }
}
