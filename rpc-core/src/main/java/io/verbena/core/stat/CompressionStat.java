package io.verbena.core.stat;

import io.verbena.codec.Compression;

/**
 * The messages that a client or server has compressed.
 *
 * @param messages their number
 * @param plainBytes their bytes before compression
 * @param bytes their bytes after compression
 */
public record CompressionStat(long messages, long plainBytes, long bytes) {
  /** Returns the present figures. */
  public static CompressionStat of(Compression compression) {
    return new CompressionStat(
        compression.messages(), compression.plainBytes(), compression.bytes());
  }
}
