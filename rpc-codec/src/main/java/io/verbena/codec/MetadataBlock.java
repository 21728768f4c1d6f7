package io.verbena.codec;

import io.verbena.api.Metadata;
import io.verbena.api.wire.WireException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Metadata at the end of a message's body. {@code FLAG_METADATA} marks such a message:
 *
 * <pre>
 *   | arguments, or outcome | entries of Metadata | their length, 2 bytes |
 * </pre>
 *
 * <p>They come last, so that the metadata of a reply can be added after its result was encoded,
 * without moving it. Only the table of large values follows them.
 */
public final class MetadataBlock {
  private MetadataBlock() {}

  /** Returns the reason why these metadata cannot be sent; null if they can. */
  public static @Nullable String misfit(Metadata metadata) {
    return metadata.byteSize() <= Metadata.MAX_BYTES && metadata.size() <= Metadata.MAX_ENTRIES
        ? null
        : "%d values of metadata in %d bytes are too many; a message carries at most %d in %d"
            .formatted(
                metadata.size(), metadata.byteSize(), Metadata.MAX_ENTRIES, Metadata.MAX_BYTES);
  }

  /** Appends metadata without {@linkplain #misfit misfit} to a message. */
  public static void write(WireEncoder out, Metadata metadata) {
    out.writeRaw(metadata.toBytes());
    out.writeShort(metadata.byteSize());
  }

  /**
   * Returns the start of the metadata in the body of a message that has some.
   *
   * @throws WireException if their length does not fit in the body, or is more than a message
   *     carries
   */
  public static int start(ByteBuffer buffer, int from, int to) {
    int room = to - from - Short.BYTES;
    int length = room < 0 ? 0 : buffer.getShort(to - Short.BYTES) & 0xffff;
    if (length > room || length > Metadata.MAX_BYTES || room < 0) {
      throw new WireException("metadata of " + length + " bytes in a body of " + (to - from));
    }
    return to - Short.BYTES - length;
  }

  /**
   * Reads the metadata.
   *
   * @param start their start
   * @param to the end of the body
   * @throws WireException if they are malformed
   */
  public static Metadata read(ByteBuffer buffer, int start, int to) {
    byte[] bytes = new byte[to - Short.BYTES - start];
    buffer.get(start, bytes);
    try {
      return Metadata.ofBytes(bytes);
    } catch (IllegalArgumentException e) {
      throw new WireException(String.valueOf(e.getMessage()));
    }
  }
}
