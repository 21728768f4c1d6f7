package io.verbena.api;

import org.jspecify.annotations.Nullable;

/**
 * A call that failed for another reason than an exception its contract declares.
 *
 * <p>A handler may throw one to answer with a status of its choice; its status and message cross
 * the wire. Everything else that a handler throws undeclared arrives as {@link RpcStatus#INTERNAL}
 * with the type's name and the message.
 */
public final class RpcException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final RpcStatus status;
  private final CallPhase phase;
  private final Execution execution;
  private final boolean idempotent;
  private final @Nullable String remoteType;

  /** A failure that a handler answers with. */
  public RpcException(RpcStatus status, String message) {
    this(status, message, CallPhase.REPLIED, Execution.EXECUTED, false, null, null);
  }

  /**
   * A failure as the caller sees it.
   *
   * @param idempotent whether the method's contract allows executing it twice
   * @param remoteType the class name of what the handler threw, where it threw
   */
  public RpcException(
      RpcStatus status,
      String message,
      CallPhase phase,
      Execution execution,
      boolean idempotent,
      @Nullable String remoteType,
      @Nullable Throwable cause) {
    super(message, cause);
    this.status = status;
    this.phase = phase;
    this.execution = execution;
    this.idempotent = idempotent;
    this.remoteType = remoteType;
  }

  /** Returns why the call failed. */
  public RpcStatus status() {
    return status;
  }

  /** Returns how far the call had come. */
  public CallPhase phase() {
    return phase;
  }

  /** Returns what is certain about the call's execution. */
  public Execution execution() {
    return execution;
  }

  /** Returns the class name of what the handler threw; null unless a handler threw undeclared. */
  public @Nullable String remoteType() {
    return remoteType;
  }

  /**
   * Returns whether calling again cannot do harm: the call was surely not executed, or its result
   * is unknown and its method {@linkplain RpcMethod#idempotent() idempotent}.
   */
  public boolean mayRetry() {
    return execution == Execution.NOT_EXECUTED || (execution == Execution.UNKNOWN && idempotent);
  }
}
