package io.verbena.verbs.ext;

import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvPd;
import java.io.IOException;

/**
 * What {@link IbvPd} cannot say: memory of any length, memory windows and shared receive queues in
 * a protection domain. Implemented by the provider's PD class; safe for use by several threads.
 *
 * <p>{@link IbvPd#deallocPd()} fails with {@link Errno#EBUSY} while anything made here, or a queue
 * pair, still lives.
 */
public interface VerbsPd {
  /** The extension of a PD; fails with {@link IllegalArgumentException} where it has none. */
  static VerbsPd of(IbvPd pd) {
    return Extensions.of(pd, VerbsPd.class);
  }

  /**
   * Registers memory. The caller keeps it alive and mapped until the region is deregistered.
   *
   * @param address where it begins
   * @param length in bytes, at least 1; beyond 2 GiB, too
   * @param access {@link Access} flags; remote write and atomic need {@link Access#LOCAL_WRITE}
   * @return a region that is a {@link VerbsMr}; fails with {@link VerbsException}: ENOMEM (memlock
   *     limit), EFAULT (not mapped, or read-only), EINVAL (flags)
   */
  IbvMr registerMemory(long address, long length, int access) throws IOException;

  /** A new, unbound type 2 window; EOPNOTSUPP where the device has none. */
  MemoryWindow allocateWindow() throws IOException;

  /**
   * A new shared receive queue; EOPNOTSUPP where the device has none.
   *
   * @param maxRequests receives it can hold at least
   * @param maxSges pieces per receive
   */
  SharedReceiveQueue createSrq(int maxRequests, int maxSges) throws IOException;
}
