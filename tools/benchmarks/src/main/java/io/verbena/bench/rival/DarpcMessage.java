package io.verbena.bench.rival;

import com.ibm.darpc.DaRPCMessage;
import com.ibm.darpc.DaRPCProtocol;
import com.ibm.disni.verbs.RdmaConnParam;
import java.io.IOException;
import java.nio.ByteBuffer;

/** A message of DaRPC: the length in two bytes, then the content. */
final class DarpcMessage implements DaRPCMessage {
  /** Longer messages do not fit into the buffers of both ends. */
  static final int MOST_BYTES = 1 << 10;

  /** The posted receives of each end. DaRPC waits for ever if the ends differ. */
  static final int DEPTH = 64;

  static final int TIMEOUT_MILLIS = 5_000;
  private static final byte RETRIES = 7;

  /** The types of messages. */
  static class Protocol implements DaRPCProtocol<DarpcMessage, DarpcMessage> {
    @Override
    public DarpcMessage createRequest() {
      return new DarpcMessage();
    }

    @Override
    public DarpcMessage createResponse() {
      return new DarpcMessage();
    }
  }

  private byte[] bytes = new byte[0];

  byte[] bytes() {
    return bytes;
  }

  void bytes(byte[] message) {
    bytes = message;
  }

  @Override
  public int write(ByteBuffer buffer) {
    buffer.putShort((short) bytes.length).put(bytes);
    return Short.BYTES + bytes.length;
  }

  @Override
  public void update(ByteBuffer buffer) {
    int length = buffer.getShort();
    if (length < 0 || length > MOST_BYTES) {
      throw new IllegalArgumentException("a message of " + length + " bytes");
    }
    if (bytes.length != length) {
      bytes = new byte[length];
    }
    buffer.get(bytes);
  }

  @Override
  public int size() {
    return Short.BYTES + MOST_BYTES;
  }

  /** Sets retries. DaRPC sets none, and fails if a message is not received at once. */
  static void retry(RdmaConnParam parameters) throws IOException {
    parameters.setRetry_count(RETRIES);
    parameters.setRnr_retry_count(RETRIES);
  }
}
