package io.verbena.api.stub;

import io.verbena.api.bulk.Received;
import io.verbena.api.wire.WireOut;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * Where a handler's outcome is written. A handler calls at most one of the two, once, and writes
 * after the user's method has returned; what it returns without calling either is an empty result.
 */
public interface Reply {
  /** Returns whether the call passes interceptors, so that {@link #intercepted} is to be asked. */
  default boolean isIntercepted() {
    return false;
  }

  /** Returns an argument as interceptors hand it on. Asked within {@link #intercepted} alone. */
  @SuppressWarnings("TypeParameterUnusedInFormals") // generated code names it
  default <T> @Nullable T argument(int index) {
    throw new IllegalStateException("the call has the arguments that it came with");
  }

  /**
   * Arguments have been taken, and are of their types: the user's method is called now. Within
   * {@link #intercepted}.
   */
  default void begins() {}

  /**
   * Returns the result to be written: what the user's method returns, as interceptors change it, or
   * what one of them answers in its place. Null where the method is void.
   *
   * @param method takes each {@link #argument}, tells that it {@link #begins}, and calls the user's
   *     method
   * @throws Exception what the user's method throws
   */
  default <R> @Nullable R intercepted(Callable<R> method) throws Exception {
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
