package io.verbena.codec;

import io.verbena.api.wire.WireException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.LongAdder;

/**
 * How the messages of one end's calls are compressed, where {@code FLAG_COMPRESSED} says so:
 *
 * <pre>
 *   | how long arguments, or outcome, are: varint | they as an LZ4 block | metadata, as they are |
 * </pre>
 *
 * <p>Each message is compressed by itself, and its metadata are not: what one caller sends tells
 * nothing of what another does. Safe for use by any thread.
 */
public final class Compression {
  /** A byte of an LZ4 block stands for at most so many. */
  private static final int MOST_RATIO = 255;

  private final Lz4 by;
  private final int fromBytes;
  private final int mostBytes;
  private final LongAdder messages = new LongAdder();
  private final LongAdder plainBytes = new LongAdder();
  private final LongAdder bytes = new LongAdder();

  /**
   * A way of compressing messages.
   *
   * @param fromBytes the shortest arguments, or outcome, that are compressed
   * @param mostBytes the longest that are taken from a peer, when they are not compressed any more
   */
  public Compression(Lz4 by, int fromBytes, int mostBytes) {
    this.by = by;
    this.fromBytes = fromBytes;
    this.mostBytes = mostBytes;
  }

  /** Returns the shortest arguments, or outcome, that are compressed. */
  public int fromBytes() {
    return fromBytes;
  }

  /** Returns how many messages were compressed. */
  public long messages() {
    return messages.sum();
  }

  /** Returns how many bytes they had before. */
  public long plainBytes() {
    return plainBytes.sum();
  }

  /** Returns how many bytes they had then. */
  public long bytes() {
    return bytes.sum();
  }

  /**
   * Compresses what was written of a message, where it gets shorter by that.
   *
   * @return whether it did
   */
  public boolean compress(WireEncoder out) {
    int plain = out.length();
    try {
      if (!out.compress(by)) {
        return false;
      }
    } catch (OutOfMemoryError e) {
      return false; // there is room for it as it is
    }
    messages.increment();
    plainBytes.add(plain);
    bytes.add(out.length());
    return true;
  }

  /** Returns how long a block may be that so many bytes become. */
  static long mostCompressed(int length) {
    return length + length / MOST_RATIO + 16L;
  }

  /**
   * Returns how many bytes a peer's arguments, or outcome, announce to become; 0 where they cannot,
   * so that {@link #expand} refuses them.
   */
  public int announced(ByteBuffer body, int from, int to) {
    try {
      return announced(reader(body, from, to));
    } catch (WireException e) {
      return 0;
    }
  }

  /**
   * Decompresses a peer's arguments, or outcome.
   *
   * @throws WireException if they are malformed, or longer than is taken
   */
  public byte[] expand(ByteBuffer body, int from, int to) {
    WireDecoder in = reader(body, from, to);
    byte[] plain = new byte[announced(in)];
    int length = in.remaining();
    by.decompress(body, to - length, length, plain);
    return plain;
  }

  private static WireDecoder reader(ByteBuffer body, int from, int to) {
    WireDecoder in = new WireDecoder();
    in.start(body, from, to, 1);
    return in;
  }

  /** What a peer announces is checked before there is memory for it. */
  private int announced(WireDecoder in) {
    int plain = in.readVarInt();
    if (plain > mostBytes) {
      throw new WireException(
          "%d bytes when they are not compressed any more, and maxMessageBytes is %d"
              .formatted(plain, mostBytes));
    }
    if (plain <= 0 || plain > (long) MOST_RATIO * in.remaining()) {
      throw new WireException(
          "%d compressed bytes that cannot become the %d that they announce"
              .formatted(in.remaining(), plain));
    }
    return plain;
  }
}
