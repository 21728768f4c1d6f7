package io.verbena.api.stub;

import io.verbena.api.bulk.Received;
import io.verbena.api.wire.WireOut;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * The reply of a call, for its handler to write. After the user's method has returned, a handler
 * calls at most one of {@link #result}, {@link #received} and {@link #error}, once. Without such a
 * call the result is empty.
 */
public interface Reply {
  /**
   * Returns whether the call passes interceptors. The handler must then use {@link #intercepted}.
   */
  default boolean isIntercepted() {
    return false;
  }

  /**
   * Returns an argument, with the changes of interceptors. Call it only within {@link
   * #intercepted}.
   */
  @SuppressWarnings("TypeParameterUnusedInFormals") // generated code names it
  default <T> @Nullable T argument(int index) {
    throw new IllegalStateException("the call passes no interceptors; use its decoded arguments");
  }

  /**
   * Reports that all arguments have been read and have the right types, and that the user's method
   * is called next. Call it only within {@link #intercepted}.
   */
  default void begin() {}

  /**
   * Runs interceptors and the user's method, and returns the result to be written. It is the result
   * of the user's method, with the changes of interceptors, or the answer of an interceptor in its
   * place. Null if the method is void.
   *
   * @param method reads each {@link #argument}, calls {@link #begin}, and calls the user's method
   * @throws Exception the exception of the user's method
   */
  default <R> @Nullable R intercepted(Callable<R> method) throws Exception {
    throw new IllegalStateException("the call passes no interceptors; call the user's method");
  }

  /** Returns the output for the result. */
  WireOut result();

  /**
   * Answers with an object that goes to the caller's landing, in place of a result.
   *
   * @param answer the result of the user's method
   * @throws IllegalArgumentException if it was not made by {@link Received#from}
   * @throws java.io.UncheckedIOException if its file cannot be opened
   */
  void received(Received answer);

  /**
   * Returns the output for a declared exception.
   *
   * @param index its position in the method's throws clause, from 0
   * @param thrown the exception. Its type's name and message are sent before it, for callers whose
   *     version of the contract does not declare it
   */
  WireOut error(int index, Exception thrown);
}
