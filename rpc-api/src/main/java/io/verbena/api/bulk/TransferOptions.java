package io.verbena.api.bulk;

import io.verbena.api.settings.Checks;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Options for one transfer. Immutable; start from {@link #DEFAULT}. */
public final class TransferOptions {
  /** No timeout, and a checksum for transfers into a file. */
  public static final TransferOptions DEFAULT =
      new TransferOptions(new Values(null, Checksum.FILES));

  private final Values values;

  private record Values(@Nullable Duration timeout, Checksum checksum) {
    private Values {
      if (timeout != null) {
        Checks.positive("timeout", timeout);
      }
      Checks.required("checksum", checksum);
    }
  }

  private TransferOptions(Values values) {
    this.values = values;
  }

  /**
   * Returns the time after which the transfer fails, counted from its request; longer than 0, or
   * null for none. A transfer to or from the caller's memory is over when that memory is free. Over
   * TCP a landing is free at once. Over RDMA that takes a round trip, up to {@code deadAfter} of
   * the session's limits if the link is dead, and up to 30 s if the peer is alive but does not
   * release it.
   */
  public @Nullable Duration timeout() {
    return values.timeout;
  }

  /**
   * Returns the choice of transfers for which both ends compute a CRC32C of the whole object and
   * compare it. For a push with {@link Checksum#FILES} the receiving end decides, because it knows
   * the landing.
   */
  public Checksum checksum() {
    return values.checksum;
  }

  /**
   * Returns these options with a timeout; null for none.
   *
   * @throws IllegalArgumentException if it is not longer than 0
   */
  public TransferOptions withTimeout(@Nullable Duration timeout) {
    return new TransferOptions(new Values(timeout, values.checksum));
  }

  /** Returns these options with a checksum for every transfer. */
  public TransferOptions withChecksum() {
    return new TransferOptions(new Values(values.timeout, Checksum.ALWAYS));
  }

  /**
   * Returns these options without a checksum, for files too. A transfer into a file that is
   * interrupted then starts from the beginning.
   */
  public TransferOptions withoutChecksum() {
    return new TransferOptions(new Values(values.timeout, Checksum.NEVER));
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof TransferOptions it && values.equals(it.values);
  }

  @Override
  public int hashCode() {
    return values.hashCode();
  }

  /** Returns the name and value of each option. */
  @Override
  public String toString() {
    return values.toString().replaceFirst("Values", "TransferOptions");
  }
}
