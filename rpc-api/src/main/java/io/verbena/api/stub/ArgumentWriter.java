package io.verbena.api.stub;

import io.verbena.api.wire.WireOut;

/** Writes the arguments of one call straight into the message that will carry them. */
@FunctionalInterface
public interface ArgumentWriter {
  /**
   * Writes all arguments. It is called once, on the caller's thread, before the call method
   * returns. If the stub has interceptors, it is called each time that one proceeds, on the thread
   * of the interceptor.
   */
  void write(WireOut out);
}
