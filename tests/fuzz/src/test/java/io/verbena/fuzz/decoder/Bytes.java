package io.verbena.fuzz.decoder;

import io.verbena.api.wire.WireOut;
import io.verbena.codec.WireDecoder;
import io.verbena.codec.WireEncoder;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.function.Consumer;

/** Messages as arrays. */
public final class Bytes {
  /** The limits of every message here. */
  public static final int MOST_BYTES = 1 << 20;

  /** The most records within each other. */
  public static final int MOST_DEPTH = 16;

  private Bytes() {}

  /** Encodes a message. */
  public static byte[] encode(Consumer<WireOut> message) {
    WireEncoder out = encoder();
    message.accept(out);
    return taken(out);
  }

  static WireEncoder encoder() {
    WireEncoder out = new WireEncoder();
    out.start(ByteBuffer.allocate(64), 0, MOST_BYTES, MOST_DEPTH);
    return out;
  }

  static byte[] taken(WireEncoder out) {
    byte[] bytes = new byte[out.length()];
    out.buffer().get(0, bytes);
    return bytes;
  }

  /** Returns what decodes a message. */
  public static WireDecoder decoder(byte[] bytes) {
    return decoder(bytes, 0);
  }

  static WireDecoder decoder(byte[] bytes, int from) {
    WireDecoder in = new WireDecoder();
    in.start(ByteBuffer.wrap(bytes), from, bytes.length, MOST_DEPTH);
    return in;
  }

  /** The value of an input at one index. */
  @FunctionalInterface
  interface Told {
    void is(int what, byte[] bytes);
  }

  /**
   * Takes an input apart: what, 1 byte; a length, 1 byte; as many bytes, or those that are left.
   */
  static void records(byte[] input, Told each) {
    int head = 2;
    for (int at = 0; at + head <= input.length; ) {
      int length = Math.min(input[at + 1] & 0xff, input.length - at - head);
      byte[] bytes = Arrays.copyOfRange(input, at + head, at + head + length);
      each.is(input[at] & 0xff, bytes);
      at += head + length;
    }
  }

  /** Puts a byte before others. */
  public static byte[] with(int first, byte[] others) {
    byte[] all = new byte[others.length + 1];
    all[0] = (byte) first;
    System.arraycopy(others, 0, all, 1, others.length);
    return all;
  }
}
