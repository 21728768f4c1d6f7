package io.verbena.api.stub;

import org.jspecify.annotations.Nullable;

/**
 * One method of a contract, as generated. Immutable.
 *
 * @param <R> the method's result
 * @param service the service's name on the wire
 * @param id the method's number on the wire
 * @param name the method's name in the interface
 * @param idempotent whether executing it twice does no harm
 * @param oneway whether it has no reply
 * @param nonBlocking whether its handler runs on the event loop
 * @param timeoutNanos its default timeout in nanoseconds; 0 for the session's
 * @param result reads its result
 * @param errors reads the exceptions that it declares; null if it declares none
 * @param streaming whether its last argument or its result is a stream. It then has no deadline
 *     unless one is set
 */
public record MethodDescriptor<R>(
    String service,
    int id,
    String name,
    boolean idempotent,
    boolean oneway,
    boolean nonBlocking,
    long timeoutNanos,
    ResultReader<R> result,
    @Nullable ErrorReader errors,
    boolean streaming) {

  /** Makes the descriptor of a method without streams. */
  public MethodDescriptor(
      String service,
      int id,
      String name,
      boolean idempotent,
      boolean oneway,
      boolean nonBlocking,
      long timeoutNanos,
      ResultReader<R> result,
      @Nullable ErrorReader errors) {
    this(service, id, name, idempotent, oneway, nonBlocking, timeoutNanos, result, errors, false);
  }

  /**
   * Returns an argument that the contract does not allow to be null. Called by generated code.
   *
   * @param name the parameter's name in the interface
   * @throws NullPointerException if it is null
   */
  public <T> T argument(@Nullable T value, String name) {
    if (value == null) {
      throw isNull("argument '" + name + "' is null. Pass", "parameter", "Landing");
    }
    return value;
  }

  /**
   * Returns a handler's result that the contract does not allow to be null. Called by generated
   * code.
   *
   * @throws NullPointerException if it is null
   */
  public <T> T returned(@Nullable T value) {
    if (value == null) {
      throw isNull("the handler returned null. Return", "result", "Received");
    }
    return value;
  }

  private NullPointerException isNull(String what, String place, String object) {
    return new NullPointerException(
        "%s: %s a value. To allow null, declare the %s @Nullable in the contract; a stream or a %s cannot be null"
            .formatted(fullName(), what, place, object));
  }

  /** Returns {@code service/method}, as in exceptions' messages. */
  public String fullName() {
    return service + "/" + name;
  }

  @Override
  public String toString() {
    return fullName();
  }
}
