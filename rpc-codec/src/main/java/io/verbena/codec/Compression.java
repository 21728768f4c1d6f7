package io.verbena.codec;

import io.verbena.api.wire.WireException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.LongAdder;

/**
 * Compresses the messages of one end's calls. {@code FLAG_COMPRESSED} marks such a message:
 *
 * <pre>
 *   | length of arguments, or outcome: varint | an LZ4 block of them | metadata, not compressed |
 * </pre>
 *
 * <p>Each message is compressed separately, without its metadata. So the length of one caller's
 * message reveals nothing about another's. Safe for use by any thread.
 */
public final class Compression {
  /** The largest number of bytes that one byte of an LZ4 block can expand to. */
  private static final int MOST_RATIO = 255;

  private final Lz4 by;
  private final int fromBytes;
  private final int mostBytes;
  private final LongAdder messages = new LongAdder();
  private final LongAdder plainBytes = new LongAdder();
  private final LongAdder bytes = new LongAdder();

  /**
   * Makes a compression.
   *
   * @param fromBytes the length of the shortest arguments, or outcome, to compress
   * @param mostBytes the largest length after decompression to accept from a peer
   */
  public Compression(Lz4 by, int fromBytes, int mostBytes) {
    this.by = by;
    this.fromBytes = fromBytes;
    this.mostBytes = mostBytes;
  }

  /** Returns the length of the shortest arguments, or outcome, to compress. */
  public int fromBytes() {
    return fromBytes;
  }

  /** Returns the number of compressed messages. */
  public long messages() {
    return messages.sum();
  }

  /** Returns the bytes of these messages before compression. */
  public long plainBytes() {
    return plainBytes.sum();
  }

  /** Returns the bytes of these messages after compression. */
  public long bytes() {
    return bytes.sum();
  }

  /**
   * Compresses the bytes of a message written so far, if that makes them shorter.
   *
   * @return whether they were compressed
   */
  public boolean compress(WireEncoder out) {
    int plain = out.length();
    try {
      if (!out.compress(by)) {
        return false;
      }
    } catch (OutOfMemoryError e) {
      return false; // the message is sent uncompressed
    }
    messages.increment();
    plainBytes.add(plain);
    bytes.add(out.length());
    return true;
  }

  /** Returns the largest length of a block for so many bytes. */
  static long mostCompressed(int length) {
    return length + length / MOST_RATIO + 16L;
  }

  /**
   * Returns the announced length of a peer's arguments, or outcome, after decompression; 0 if it is
   * impossible, so that {@link #expand} refuses them.
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
   * @throws WireException if they are malformed or too long
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

  /** Checks the announced length before memory is allocated for it. */
  private int announced(WireDecoder in) {
    int plain = in.readVarInt();
    if (plain > mostBytes) {
      throw new WireException(
          "%d bytes after decompression are too many: maxMessageBytes is %d"
              .formatted(plain, mostBytes));
    }
    if (plain <= 0 || plain > (long) MOST_RATIO * in.remaining()) {
      throw new WireException(
          "%d compressed bytes cannot expand to the announced %d".formatted(in.remaining(), plain));
    }
    return plain;
  }
}
