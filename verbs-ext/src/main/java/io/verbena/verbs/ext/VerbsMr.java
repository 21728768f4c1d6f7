package io.verbena.verbs.ext;

import com.ibm.disni.verbs.IbvMr;
import java.io.IOException;

/**
 * What {@link IbvMr} cannot say: a registered memory region of any length. Implemented by the
 * provider's MR class; safe for use by several threads. {@link IbvMr#getAddr()}, {@link
 * IbvMr#getLkey()} and {@link IbvMr#getRkey()} hold; {@link IbvMr#getLength()} is capped at 2^31-1.
 */
public interface VerbsMr {
  /** The extension of an MR; fails with {@link IllegalArgumentException} where it has none. */
  static VerbsMr of(IbvMr mr) {
    return Extensions.of(mr, VerbsMr.class);
  }

  /** In bytes. */
  long length();

  /** What {@link SendBlock#bind} puts in a request: the provider's token of this region. */
  long handle();

  /**
   * Ends the registration: afterwards its keys are refused, locally and by peers. Fails with EBUSY
   * or EINVAL while a window is bound to it, and with EBADF the second time.
   */
  void deregister() throws IOException;
}
