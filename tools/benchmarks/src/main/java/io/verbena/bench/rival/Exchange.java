package io.verbena.bench.rival;

import io.verbena.bench.load.Kind;
import io.verbena.bench.load.Load;
import java.nio.ByteBuffer;

/**
 * The lengths of requests and replies on a raw connection. The client sends them first. The first
 * eight bytes of each message are its number.
 *
 * <pre>
 * 0        4        8
 * +--------+--------+
 * | there  | back   |   bytes of each message
 * +--------+--------+
 * </pre>
 */
record Exchange(int requestBytes, int replyBytes) {
  static final int BYTES = 8;
  static final int MOST = 1 << 30;

  /** Checks the lengths, which come from a peer. */
  Exchange {
    if (requestBytes < Kind.NUMBER_BYTES
        || requestBytes > MOST
        || replyBytes < Kind.NUMBER_BYTES
        || replyBytes > MOST) {
      throw new IllegalArgumentException(
          "messages of " + requestBytes + " and " + replyBytes + " bytes; 8 to 2^30 are possible");
    }
  }

  static Exchange of(Load load) {
    return new Exchange(load.kind().requestBytes(load.size()), load.kind().replyBytes(load.size()));
  }

  static Exchange read(ByteBuffer from) {
    return new Exchange(from.getInt(), from.getInt());
  }

  void write(ByteBuffer to) {
    to.putInt(requestBytes).putInt(replyBytes);
  }
}
