package io.verbena.api;

import io.verbena.api.settings.Checks;
import org.jspecify.annotations.Nullable;

/**
 * A call that failed for another reason than an exception its contract declares.
 *
 * <p>A handler may throw one that it made, to answer with a status of its choice; its status and
 * message cross the wire. Everything else that a handler throws undeclared arrives as {@link
 * RpcStatus#INTERNAL} with the type's name and the message.
 *
 * <p>One that a handler has from a call of its own is another service's failure, not the handler's:
 * let through, it arrives as {@link RpcStatus#INTERNAL}, with its status in words and nothing of
 * its message, which may name hosts that the caller should not know. {@link #passOn} says that the
 * caller is to have it all the same.
 */
public final class RpcException extends VerbenaException {
  private static final long serialVersionUID = 1L;

  private final CallPhase phase;
  private final Execution execution;
  private final boolean idempotent;
  private final @Nullable String remoteType;
  private final boolean answer;
  private final boolean forGood;
  private final Metadata metadata;

  /** A failure that a handler answers with. */
  public RpcException(RpcStatus status, String message) {
    this(status, message, null);
  }

  /**
   * A failure that a handler answers with.
   *
   * @param cause for this process's eyes; it does not cross the wire
   */
  public RpcException(RpcStatus status, String message, @Nullable Throwable cause) {
    this(
        status,
        message,
        CallPhase.REPLIED,
        Execution.EXECUTED,
        false,
        null,
        cause,
        true,
        false,
        Metadata.EMPTY);
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
    this(
        status,
        message,
        phase,
        execution,
        idempotent,
        remoteType,
        cause,
        false,
        false,
        Metadata.EMPTY);
  }

  private RpcException(
      RpcStatus status,
      String message,
      CallPhase phase,
      Execution execution,
      boolean idempotent,
      @Nullable String remoteType,
      @Nullable Throwable cause,
      boolean answer,
      boolean forGood,
      Metadata metadata) {
    super(status, message, cause);
    this.answer = answer;
    this.forGood = forGood;
    this.metadata = metadata;
    this.phase = phase;
    this.execution = execution;
    this.idempotent = idempotent;
    this.remoteType = remoteType;
  }

  /** Returns how far the call had come. */
  public CallPhase phase() {
    return phase;
  }

  /** Returns what is certain about the call's execution. */
  public Execution execution() {
    return execution;
  }

  /**
   * Returns the class name of what the handler threw; null unless a handler threw what the contract
   * here does not declare.
   */
  public @Nullable String remoteType() {
    return remoteType;
  }

  /**
   * Returns what the handler, and interceptors on its side, told beside status and message: details
   * of the failure, for programs. Empty where they told nothing, or did not answer.
   */
  public Metadata metadata() {
    return metadata;
  }

  /**
   * Returns the same failure with these metadata in place of its own, and with its stack trace: for
   * handlers, which throw it, and for interceptors of callers.
   */
  public RpcException withMetadata(Metadata metadata) {
    return same(execution, forGood, Checks.required("metadata", metadata));
  }

  /**
   * Returns the same failure, and with its stack trace, as one that stays: what the call was made
   * through is closed, so that {@link #mayRetry} is false whatever the status.
   */
  public RpcException forGood() {
    return same(execution, true, metadata);
  }

  /**
   * Returns the same failure, and with its stack trace, as one of a handler that has done nothing:
   * {@link Execution#NOT_EXECUTED}. Thrown by a handler with {@link RpcStatus#UNAVAILABLE} it has
   * the caller's channel try another server at once, whether the method is idempotent or not:
   *
   * <pre>{@code
   * throw new RpcException(RpcStatus.UNAVAILABLE, "this node is not the leader").notExecuted();
   * }</pre>
   *
   * <p>It is the handler's word that the call has left no trace: the caller relies on that.
   */
  public RpcException notExecuted() {
    return same(Execution.NOT_EXECUTED, forGood, metadata);
  }

  private RpcException same(Execution execution, boolean forGood, Metadata metadata) {
    RpcException same =
        new RpcException(
            status(),
            String.valueOf(getMessage()),
            phase,
            execution,
            idempotent,
            remoteType,
            getCause(),
            answer,
            forGood,
            metadata);
    same.setStackTrace(getStackTrace());
    return same;
  }

  /**
   * Returns whether calling again is safe, and may help. It is safe where the call was surely not
   * executed, or its result is unknown and its method {@linkplain RpcMethod#idempotent()
   * idempotent}. It may help after {@link RpcStatus#UNAVAILABLE}, {@link
   * RpcStatus#DEADLINE_EXCEEDED} and {@link RpcStatus#RESOURCE_EXHAUSTED}; whatever else a call
   * failed for, the same call meets again. So does one through a session, a client or a channel
   * that is closed.
   */
  public boolean mayRetry() {
    boolean safe =
        execution == Execution.NOT_EXECUTED || (execution == Execution.UNKNOWN && idempotent);
    return safe && !forGood && mayHelp();
  }

  private boolean mayHelp() {
    return switch (status()) {
      case UNAVAILABLE, DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED -> true;
      case CANCELLED,
          INVALID_ARGUMENT,
          UNIMPLEMENTED,
          INCOMPATIBLE,
          UNAUTHENTICATED,
          PERMISSION_DENIED,
          INTERNAL,
          PROTOCOL_ERROR ->
          false;
    };
  }

  /**
   * Returns this failure of another call as one that a handler answers with: same status, same
   * message, whatever that names, same metadata. A handler that would rather use its own words
   * throws {@code new RpcException(e.status(), words, e)}.
   */
  public RpcException passOn() {
    return new RpcException(status(), String.valueOf(getMessage()), this).withMetadata(metadata);
  }

  /** Returns whether a handler answers with it, rather than having it from a call of its own. */
  public boolean isAnswer() {
    return answer;
  }
}
