package io.verbena.core.bulk;

/**
 * How many landings each session keeps open to its peer for what that pushes, and how long each is.
 *
 * @param count 0 for none, at most {@link #MOST}
 * @param bytes 1 to {@link BulkMemory#CHUNK_BYTES}
 */
public record StandingOptions(int count, int bytes) {
  /** So many a peer may keep open, and one that says more breaks the protocol. */
  public static final int MOST = 64;

  /** No landings. */
  public static final StandingOptions NONE = new StandingOptions(0, 1);

  /** Checks both. */
  public StandingOptions {
    if (count < 0 || count > MOST || bytes < 1 || bytes > BulkMemory.CHUNK_BYTES) {
      throw new IllegalArgumentException(
          "%d standing landings of %d bytes: at most %d, of 1 to %d bytes each"
              .formatted(count, bytes, MOST, BulkMemory.CHUNK_BYTES));
    }
  }
}
