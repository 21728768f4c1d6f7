package io.verbena.grpc;

import io.grpc.InternalMetadata;
import io.grpc.Metadata;
import io.grpc.Status;
import io.verbena.api.wire.WireIn;
import io.verbena.api.wire.WireOut;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A block of gRPC's metadata from the wire: headers or trailers.
 *
 * @param metadata null if there was more than the limit
 * @param bytes its size as HTTP/2 counts it (RFC 9113, section 6.5.2): names, values, and 32 for
 *     each entry
 */
record Block(@Nullable Metadata metadata, long bytes) {
  private static final int ENTRY_BYTES = 32;

  /** Writes the entries: their number, then the name and the value of each. */
  static void write(WireOut out, Metadata metadata) {
    write(out, InternalMetadata.serialize(metadata));
  }

  /** Writes names and values by turns. */
  static void write(WireOut out, byte[][] entries) {
    out.writeCount(entries.length / 2);
    for (byte[] part : entries) {
      out.writeBytes(part);
    }
  }

  /**
   * Reads a block. Entries beyond the limit are read over and not kept.
   *
   * @param most the most bytes to keep
   */
  static Block read(WireIn in, int most) {
    int count = in.readCount(2);
    List<byte[]> parts = new ArrayList<>(Math.min(2 * count, 64));
    long bytes = 0;
    for (int i = 0; i < count; i++) {
      byte[] name = in.readBytes();
      byte[] value = in.readBytes();
      bytes += ENTRY_BYTES + name.length + value.length;
      if (bytes <= most) {
        parts.add(name);
        parts.add(value);
      }
    }
    return bytes > most
        ? new Block(null, bytes)
        : new Block(InternalMetadata.newMetadata(parts.toArray(byte[][]::new)), bytes);
  }

  /** Returns the status for a block that is larger than the limit. */
  Status tooLarge(String what, int most) {
    return Status.RESOURCE_EXHAUSTED.withDescription(
        "%s metadata has %d bytes, more than the limit of %d: raise maxInboundMetadataSize where it is received"
            .formatted(what, bytes, most));
  }
}
