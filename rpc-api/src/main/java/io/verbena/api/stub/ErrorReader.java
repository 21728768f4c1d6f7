package io.verbena.api.stub;

import io.verbena.api.wire.WireIn;
import org.jspecify.annotations.Nullable;

/** Reads the exceptions that a method declares. */
@FunctionalInterface
public interface ErrorReader {
  /**
   * Reads one exception.
   *
   * @param index its position, from 0, among the exceptions of the method's throws clause that are
   *     sent
   * @return the exception; null if none is declared at that position
   */
  @Nullable Exception read(int index, WireIn in);
}
