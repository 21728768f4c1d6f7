package io.verbena.api.bulk;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What may be set for one transfer. Immutable.
 *
 * @param timeout after which it fails, counted from when it was asked for; null: none. Where it
 *     comes into memory of the user's own, or leaves from there, it is over once that memory is
 *     free. Over TCP a landing is free at once; over RDMA that takes a round trip, up to the
 *     limits' {@code deadAfter} when the link is dead, and up to 30 s when the peer is alive but
 *     does not let go of it
 * @param checksum whether both ends compute a CRC32C of the whole object, and compare
 */
public record TransferOptions(@Nullable Duration timeout, boolean checksum) {
  /** No timeout, no checksum. */
  public static final TransferOptions DEFAULT = new TransferOptions(null, false);

  /** Checks that a timeout is positive. */
  public TransferOptions {
    if (timeout != null && (timeout.isNegative() || timeout.isZero())) {
      throw new IllegalArgumentException("timeout must be positive, not " + timeout);
    }
  }

  /** Returns these options with a timeout. */
  public TransferOptions withTimeout(Duration timeout) {
    return new TransferOptions(timeout, checksum);
  }

  /** Returns these options with a checksum. */
  public TransferOptions withChecksum() {
    return new TransferOptions(timeout, true);
  }
}
