package io.verbena.rdma.wire;

import io.verbena.verbs.ext.ConnectionParameters;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * The private data of a rejected connection request: the reason, as text.
 *
 * <pre>
 *  0         1         2
 *  +---------+---------+----------------------+
 *  | version | length  | reason, UTF-8 ...    |
 *  +---------+---------+----------------------+
 * </pre>
 */
public final class RdmaRefusal {
  private static final int HEADER = 2;
  private static final int MOST_TEXT = ConnectionParameters.MAX_REJECT_DATA - HEADER;

  private RdmaRefusal() {}

  /** Returns a reason as private data; it is cut if it does not fit. */
  public static ByteBuffer encode(String reason) {
    byte[] text = reason.getBytes(StandardCharsets.UTF_8);
    int length = Math.min(text.length, MOST_TEXT);
    return ByteBuffer.allocate(HEADER + length)
        .put((byte) Greeting.VERSION)
        .put((byte) length)
        .put(text, 0, length)
        .flip();
  }

  /** Returns the reason in private data, or a text that there is none. */
  public static String decode(ByteBuffer in) {
    if (in.remaining() < HEADER || in.get() != Greeting.VERSION) {
      return "it gave no reason";
    }
    byte[] text = new byte[Math.min(in.get() & 0xff, in.remaining())];
    in.get(text);
    return new String(text, StandardCharsets.UTF_8);
  }
}
