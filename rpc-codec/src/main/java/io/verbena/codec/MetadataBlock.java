package io.verbena.codec;

import io.verbena.api.Metadata;
import io.verbena.api.wire.WireException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Metadata at the end of a message's body, where {@code FLAG_METADATA} says so:
 *
 * <pre>
 *   | arguments, or outcome | entries of Metadata | their length, 2 bytes |
 * </pre>
 *
 * <p>They stand behind, so that what goes along with a reply may be said when its result has been
 * encoded, and moves nothing. The table of values beside the message stands behind them.
 */
public final class MetadataBlock {
  private MetadataBlock() {}

  /** Returns what is wrong with sending them, in words; null if nothing is. */
  public static @Nullable String misfit(Metadata metadata) {
    return metadata.byteSize() <= Metadata.MAX_BYTES && metadata.size() <= Metadata.MAX_ENTRIES
        ? null
        : "%d values of metadata in %d bytes, where a message takes %d in %d"
            .formatted(
                metadata.size(), metadata.byteSize(), Metadata.MAX_ENTRIES, Metadata.MAX_BYTES);
  }

  /** Writes them behind what was written; they {@linkplain #misfit fit}. */
  public static void write(WireEncoder out, Metadata metadata) {
    out.writeRaw(metadata.toBytes());
    out.writeShort(metadata.byteSize());
  }

  /**
   * Returns where they begin in the body of a message that has any: for all others it ends there.
   *
   * @throws WireException if there is no room for them, or more than a message takes
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
   * Reads them.
   *
   * @param start where they begin
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
