package io.verbena.api.stub;

import io.verbena.api.wire.WireOut;

/** Writes the arguments of one call straight into the message that will carry them. */
@FunctionalInterface
public interface ArgumentWriter {
  /**
   * Writes all arguments. Called once, on the caller's thread, before the call method returns;
   * where the stub has interceptors, each time that one proceeds, on its thread.
   */
  void write(WireOut out);
}
