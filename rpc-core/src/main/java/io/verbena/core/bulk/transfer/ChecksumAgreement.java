package io.verbena.core.bulk.transfer;

import io.verbena.api.bulk.Checksum;
import org.jspecify.annotations.Nullable;

/** Whether the checksum of an object on its way in is compared, and with what. On the loop. */
final class ChecksumAgreement {
  private final Checksum when;

  /** Whether the sender knows that it is compared. */
  private boolean agreed;

  private @Nullable Integer senders;

  /**
   * One.
   *
   * @param when when it is compared; the sender knows of it if that is always
   */
  ChecksumAgreement(Checksum when) {
    this.when = when;
    this.agreed = when == Checksum.ALWAYS;
  }

  /** The sender is told that it is compared. */
  void agree() {
    agreed = true;
  }

  boolean isAgreed() {
    return agreed;
  }

  Checksum when() {
    return when;
  }

  /** The sender has written all; returns what is wrong with that, or null. */
  @Nullable String sent(int checksum) {
    if (senders != null) {
      return "an object that was sent twice";
    }
    senders = checksum;
    return null;
  }

  /** Returns whether the sender has still to say that all is written. */
  boolean awaitsSent(long length) {
    return senders == null && BulkTransfer.endsBySent(agreed, length);
  }

  /** Returns what the checksum must be; null if none is compared. */
  @Nullable Integer expected() {
    return agreed ? senders : null;
  }
}
