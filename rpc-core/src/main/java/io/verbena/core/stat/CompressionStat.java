package io.verbena.core.stat;

import io.verbena.codec.Compression;

/**
 * The messages that a client or server has compressed.
 *
 * @param messages how many
 * @param plainBytes how many bytes they had before
 * @param bytes how many they had then
 */
public record CompressionStat(long messages, long plainBytes, long bytes) {
  /** Returns what there is to tell now. */
  public static CompressionStat of(Compression compression) {
    return new CompressionStat(
        compression.messages(), compression.plainBytes(), compression.bytes());
  }
}
