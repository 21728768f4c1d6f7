package io.verbena.rdma.device;

import io.verbena.core.link.LinkException.Shortage;
import io.verbena.core.memory.Quota;
import java.io.IOException;

/**
 * Memory was not registered, since the budget or the system allows no more and nothing idle is
 * left: what waits for less to be in use may go on later. The message says which, and the cure.
 */
final class PinningRefused extends IOException {
  private static final long serialVersionUID = 1L;

  private final long bytes;
  private final String cure;
  private final transient Shortage shortage;

  private PinningRefused(long bytes, String reason, String cure, Shortage shortage) {
    super(bytes + " bytes cannot be registered: " + reason);
    this.bytes = bytes;
    this.cure = cure;
    this.shortage = shortage;
  }

  static PinningRefused byShare(long bytes, Quota.Share share) {
    return new PinningRefused(
        bytes,
        "of maxPinnedBytes = %d, %d are in use, and this link has %d of its part of %d; raise maxPinnedBytes, or have less under way at a time"
            .formatted(
                share.quota().limit(), share.quota().taken(), share.held(), share.guaranteed()),
        "raise maxPinnedBytes",
        new Shortage(share.waiters(), () -> share.beyond(bytes)));
  }

  static PinningRefused byBudget(long bytes, PinningBudget budget) {
    return new PinningRefused(
        bytes,
        "of maxPinnedBytes = %d, %d are in use; raise maxPinnedBytes, or have less under way at a time"
            .formatted(budget.limit(), budget.registered()),
        "raise maxPinnedBytes",
        new Shortage(budget.waiters(), () -> bytes));
  }

  static PinningRefused bySystem(long bytes, PinningBudget budget, IOException cause) {
    PinningRefused made =
        new PinningRefused(
            bytes,
            ("ibv_reg_mr failed with ENOMEM beside %d bytes in use, so the limit of locked memory"
                    + " (memlock) is below maxPinnedBytes = %d; raise it (ulimit -l unlimited,"
                    + " LimitMEMLOCK=infinity in the unit, --ulimit memlock=-1 for Docker, the"
                    + " runtime's LimitMEMLOCK on a node of Kubernetes), see 'verbena doctor'")
                .formatted(budget.registered(), budget.limit()),
            "ibv_reg_mr failed with ENOMEM: raise memlock (ulimit -l unlimited)",
            new Shortage(budget.waiters(), () -> bytes));
    made.initCause(cause);
    return made;
  }

  long bytes() {
    return bytes;
  }

  /** Returns what is missing, and who is told when it is given back. */
  Shortage shortage() {
    return shortage;
  }

  /** Returns the cure alone, so short that a peer can be told by its connection request. */
  String cure() {
    return cure;
  }
}
