package io.verbena.api.stub;

import io.verbena.api.wire.WireOut;

/** Writes the arguments of one call straight into the message that will carry them. */
@FunctionalInterface
public interface ArgumentWriter {
  /** Writes all arguments; called once, on the caller's thread, before the call method returns. */
  void write(WireOut out);
}
