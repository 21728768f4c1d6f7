package io.verbena.verbs.ext;

import com.ibm.disni.verbs.IbvMr;
import java.io.IOException;

/**
 * Extends {@link IbvMr} to registered memory of any length. Implemented by the provider's MR class;
 * safe for use by several threads. {@link IbvMr#getAddr()}, {@link IbvMr#getLkey()} and {@link
 * IbvMr#getRkey()} are valid; {@link IbvMr#getLength()} is capped at 2^31-1.
 */
public interface VerbsMr {
  /** Returns the extension of an MR. Throws {@link IllegalArgumentException} if it has none. */
  static VerbsMr of(IbvMr mr) {
    return Extensions.of(mr, VerbsMr.class);
  }

  /** Returns the length in bytes. */
  long length();

  /**
   * Returns the provider's token of this region, which {@link SendBlock#bind} puts into a request.
   */
  long handle();

  /**
   * Ends the registration. Afterwards its keys are refused, locally and for peers. Fails with EBUSY
   * or EINVAL while a window is bound to it, and with EBADF the second time.
   */
  void deregister() throws IOException;
}
