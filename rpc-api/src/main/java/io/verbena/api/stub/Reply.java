package io.verbena.api.stub;

import io.verbena.api.bulk.Received;
import io.verbena.api.wire.WireOut;
import org.jspecify.annotations.Nullable;

/**
 * Where a handler's outcome is written. A handler calls at most one of the two, once, and writes
 * after the user's method has returned; what it returns without calling either is an empty result.
 */
public interface Reply {
  /** Returns whether an interceptor answers in the place of the user's method. */
  default boolean isAnswered() {
    return false;
  }

  /**
   * Returns what an interceptor answers, to be written in place of what the user's method would
   * have returned: null where that is void.
   */
  @SuppressWarnings("TypeParameterUnusedInFormals") // generated code names it
  default <R> @Nullable R inPlace() {
    throw new IllegalStateException("the user's method answers");
  }

  /** Returns where to write the result. */
  WireOut result();

  /**
   * Answers with an object that goes to the caller's landing, in place of a result.
   *
   * @param answer what the user's method returned
   * @throws IllegalArgumentException if it was not made by {@link Received#from}
   * @throws java.io.UncheckedIOException if its file cannot be opened
   */
  void received(Received answer);

  /**
   * Returns where to write a declared exception.
   *
   * @param index its place in the method's throws clause, from 0
   * @param thrown the exception itself: its type's name and message are sent before it, for callers
   *     whose version of the contract does not declare it
   */
  WireOut error(int index, Exception thrown);
}
