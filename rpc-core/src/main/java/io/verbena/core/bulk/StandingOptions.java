package io.verbena.core.bulk;

import io.verbena.api.settings.Checks;
import io.verbena.core.bulk.memory.BulkMemory;

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
    Checks.between("count of standingLandings", count, 0, MOST);
    Checks.between("bytes of standingLandings", bytes, 1, BulkMemory.CHUNK_BYTES);
  }
}
