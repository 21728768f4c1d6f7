package io.verbena.verbs.ext;

import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaConnParam;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;

/**
 * Connection parameters for connect and accept, with the setters that {@link RdmaConnParam}
 * refuses.
 *
 * <p>Retries start at 7 (which for RNR means for ever). DiSNI's default of 0 would end the
 * connection at the first lost packet. One thread makes it, and the call reads it.
 *
 * <p>Providers read the fields by DiSNI's getters, with bytes as unsigned, so a plain RdmaConnParam
 * works as well. They make an object of this class for an event's {@code getConn()}.
 */
public final class ConnectionParameters extends RdmaConnParam {
  /** The most bytes that a connect can carry. The peer gets this many, padded with zeros. */
  public static final int MAX_CONNECT_DATA = 56;

  /** The most bytes that an accept can carry. The peer gets this many, padded with zeros. */
  public static final int MAX_ACCEPT_DATA = 196;

  /** The most bytes that a reject can carry. The peer gets this many, padded with zeros. */
  public static final int MAX_REJECT_DATA = 148;

  /**
   * The depth that stands for the most of both devices: {@code connect} takes its device's limit,
   * and {@code accept} that or what {@code connect} asked for, if that is less. librdmacm keeps the
   * limit modulo 256.
   */
  public static final byte GREATEST_DEPTH = (byte) 0xff;

  /** Keeps the private data alive to which {@code private_data_addr} points. */
  private MemorySegment privateData = MemorySegment.NULL;

  public ConnectionParameters() {
    retry_count = 7;
    rnr_retry_count = 7;
    responder_resources = 1;
    initiator_depth = 1;
  }

  /**
   * Returns a copy of an event's private data, which stays valid after the event; empty if there is
   * none. The data is padded with zeros, so senders must include its length. Call it before the
   * event is acknowledged.
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
   * Sets the private data of the request or the reply.
   *
   * @param data copied from its position to its limit, which do not change; at most 255 bytes, and
   *     at most as many as the call allows ({@link #MAX_CONNECT_DATA}, {@link #MAX_ACCEPT_DATA})
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

  /**
   * Sets the number of outstanding READs and atomics that this side accepts from the peer, 0..254,
   * or {@link #GREATEST_DEPTH}. Those of {@code accept} hold for both queue pairs, also if they
   * exceed what {@code connect} asked for; those of {@code connect} are a proposal (rdma_rxe,
   * librdmacm 44).
   */
  @Override
  public void setResponder_resources(byte count) {
    responder_resources = count;
  }

  /**
   * Sets the number of READs and atomics that this side may have outstanding, 0..254, or {@link
   * #GREATEST_DEPTH}. As {@link #setResponder_resources}, {@code accept} decides.
   */
  @Override
  public void setInitiator_depth(byte count) {
    initiator_depth = count;
  }

  @Override
  public void setFlow_control(byte onOff) {
    flow_control = onOff;
  }

  /**
   * Sets the number of repeats of an unacknowledged packet, 0..7. That of {@code connect} holds for
   * both queue pairs; that of {@code accept} is ignored.
   */
  @Override
  public void setRetry_count(byte count) {
    retry_count = count;
  }

  /**
   * Sets how often the <em>peer</em> repeats a request for which this side has no receive, 0..7; 7
   * means for ever. It goes to the peer's queue pair.
   */
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
