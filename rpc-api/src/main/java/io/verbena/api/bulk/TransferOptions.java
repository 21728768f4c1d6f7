package io.verbena.api.bulk;

import io.verbena.api.settings.Checks;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Options for one transfer. Immutable.
 *
 * @param timeout the time after which the transfer fails, counted from its request; longer than 0,
 *     or null for none. A transfer to or from the caller's memory is over when that memory is free.
 *     Over TCP a landing is free at once. Over RDMA that takes a round trip, up to {@code
 *     deadAfter} of the session's limits if the link is dead, and up to 30 s if the peer is alive
 *     but does not release it
 * @param checksum the choice of transfers for which both ends compute a CRC32C of the whole object
 *     and compare it. For a push with {@link Checksum#FILES} the receiving end decides, because it
 *     knows the landing
 */
public record TransferOptions(@Nullable Duration timeout, Checksum checksum) {
  /** No timeout, and a checksum for transfers into a file. */
  public static final TransferOptions DEFAULT = new TransferOptions(null, Checksum.FILES);

  /** Checks the values. */
  public TransferOptions {
    if (timeout != null) {
      Checks.positive("timeout", timeout);
    }
    Checks.required("checksum", checksum);
  }

  /**
   * Returns these options with a timeout.
   *
   * @throws IllegalArgumentException if it is not longer than 0
   */
  public TransferOptions withTimeout(Duration timeout) {
    return new TransferOptions(timeout, checksum);
  }

  /** Returns these options with a checksum for every transfer. */
  public TransferOptions withChecksum() {
    return new TransferOptions(timeout, Checksum.ALWAYS);
  }

  /**
   * Returns these options without a checksum, for files too. A transfer into a file that is
   * interrupted then starts from the beginning.
   */
  public TransferOptions withoutChecksum() {
    return new TransferOptions(timeout, Checksum.NEVER);
  }
}
