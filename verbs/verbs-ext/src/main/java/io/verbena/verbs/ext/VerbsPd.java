package io.verbena.verbs.ext;

import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvPd;
import java.io.IOException;

/**
 * Extends {@link IbvPd}: registers memory of any length, and makes memory windows and shared
 * receive queues in a protection domain. Implemented by the provider's PD class; safe for use by
 * several threads.
 *
 * <p>{@link IbvPd#deallocPd()} fails with {@link Errno#EBUSY} while the domain still has a queue
 * pair, or any object made here.
 */
public interface VerbsPd {
  /** Returns the extension of a PD. Throws {@link IllegalArgumentException} if it has none. */
  static VerbsPd of(IbvPd pd) {
    return Extensions.of(pd, VerbsPd.class);
  }

  /**
   * Registers memory. The caller must keep it allocated and mapped until the region is
   * deregistered.
   *
   * @param address the beginning of the memory
   * @param length in bytes, at least 1; may exceed 2 GiB
   * @param access {@link Access} flags; remote write and atomic need {@link Access#LOCAL_WRITE}
   * @return a region that is a {@link VerbsMr}; fails with {@link VerbsException}: ENOMEM (memlock
   *     limit), EFAULT (not mapped, or read-only), EINVAL (flags)
   */
  IbvMr registerMemory(long address, long length, int access) throws IOException;

  /** Makes an unbound type 2 window. Fails with EOPNOTSUPP if the device has none. */
  MemoryWindow allocateWindow() throws IOException;

  /**
   * Makes a shared receive queue. Fails with EOPNOTSUPP if the device has none.
   *
   * @param maxRequests the least number of receives that it can hold
   * @param maxSges the largest number of pieces of a receive
   */
  SharedReceiveQueue createSrq(int maxRequests, int maxSges) throws IOException;
}
