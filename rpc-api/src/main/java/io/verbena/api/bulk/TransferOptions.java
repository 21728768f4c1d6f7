package io.verbena.api.bulk;

import io.verbena.api.settings.Checks;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What may be set for one transfer. Immutable.
 *
 * @param timeout after which it fails, counted from when it was asked for, longer than 0; null:
 *     none. Where it comes into memory of the user's own, or leaves from there, it is over once
 *     that memory is free. Over TCP a landing is free at once; over RDMA that takes a round trip,
 *     up to the limits' {@code deadAfter} when the link is dead, and up to 30 s when the peer is
 *     alive but does not let go of it
 * @param checksum when both ends compute a CRC32C of the whole object, and compare. Of a push that
 *     is to say {@link Checksum#FILES} the receiving end decides, which knows where it goes
 */
public record TransferOptions(@Nullable Duration timeout, Checksum checksum) {
  /** No timeout; a checksum of what goes into a file. */
  public static final TransferOptions DEFAULT = new TransferOptions(null, Checksum.FILES);

  /** Checks both. */
  public TransferOptions {
    if (timeout != null) {
      Checks.positive("timeout", timeout);
    }
    Checks.required("checksum", checksum);
  }

  /** Returns these options with a timeout. */
  public TransferOptions withTimeout(Duration timeout) {
    return new TransferOptions(timeout, checksum);
  }

  /** Returns these options with a checksum. */
  public TransferOptions withChecksum() {
    return new TransferOptions(timeout, Checksum.ALWAYS);
  }

  /**
   * Returns these options without a checksum, of files neither: a file that does not come whole is
   * begun anew.
   */
  public TransferOptions withoutChecksum() {
    return new TransferOptions(timeout, Checksum.NEVER);
  }
}
