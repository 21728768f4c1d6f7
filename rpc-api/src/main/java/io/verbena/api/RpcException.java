package io.verbena.api;

import io.verbena.api.settings.Checks;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The failure of a call, other than an exception that its contract declares.
 *
 * <p>A handler may throw a new {@code RpcException} to answer with a status of its choice. Its
 * status and message cross the wire. Any other undeclared exception of a handler arrives as {@link
 * RpcStatus#INTERNAL} with the type's name and the message.
 *
 * <p>A handler's own calls to other services may fail with an {@code RpcException} too. If the
 * handler lets such an exception through, its caller receives {@link RpcStatus#INTERNAL} with the
 * name of the original status. The original message is left out, because it may name hosts that the
 * caller should not know. Use {@link #passOn} to send the original failure to the caller.
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

  /** Makes a failure for a handler to answer with. */
  public RpcException(RpcStatus status, String message) {
    this(status, message, null);
  }

  /**
   * Makes a failure for a handler to answer with.
   *
   * @param cause kept in this process; it does not cross the wire
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
   * Makes a failure as the caller sees it.
   *
   * @param idempotent whether the method's contract allows executing it twice
   * @param remoteType the class name of the handler's exception; null if the handler threw none
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

  /** Returns the progress of the call at the moment when it failed. */
  public CallPhase phase() {
    return phase;
  }

  /** Returns whether the other end executed the call, as far as that is certain. */
  public Execution execution() {
    return execution;
  }

  /**
   * Returns the class name of the handler's exception. Null unless a handler threw an exception
   * that the contract here does not declare.
   */
  public @Nullable String remoteType() {
    return remoteType;
  }

  /**
   * Returns the details of the failure that the handler, and interceptors on its side, sent for
   * programs to read. Empty if they sent none, or if the failure is not their answer.
   */
  public Metadata metadata() {
    return metadata;
  }

  /**
   * Returns the same failure, with its stack trace, and with these metadata in place of its own.
   * Handlers and the interceptors of callers use it.
   */
  public RpcException withMetadata(Metadata metadata) {
    return same(execution, forGood, Checks.required("metadata", metadata));
  }

  /**
   * Returns the same failure, with its stack trace, as a permanent one. Its session, client or
   * channel is closed, so {@link #mayRetry} is false for every status.
   */
  public RpcException forGood() {
    return same(execution, true, metadata);
  }

  /**
   * Returns the same failure, with its stack trace, marked {@link Execution#NOT_EXECUTED}. A
   * handler throws it if it has done nothing. With {@link RpcStatus#UNAVAILABLE}, the caller's
   * channel then tries another server at once, whether the method is idempotent or not:
   *
   * <pre>{@code
   * throw new RpcException(RpcStatus.UNAVAILABLE, "this node is not the leader").notExecuted();
   * }</pre>
   *
   * <p>The handler promises by it that the call had no effect, and the caller relies on that.
   */
  public RpcException notExecuted() {
    return same(Execution.NOT_EXECUTED, forGood, metadata);
  }

  private RpcException same(Execution execution, boolean forGood, Metadata metadata) {
    RpcException same =
        new RpcException(
            status(),
            Objects.requireNonNullElse(getMessage(), ""),
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
   * Returns whether calling again is safe and may succeed. It is safe if the call was certainly not
   * executed, or if its execution is unknown and the method is {@linkplain RpcMethod#idempotent()
   * idempotent}. It may succeed if the status {@linkplain RpcStatus#isTransient is transient}.
   * False also if the session, the client or the channel is closed.
   */
  public boolean mayRetry() {
    boolean safe =
        execution == Execution.NOT_EXECUTED || (execution == Execution.UNKNOWN && idempotent);
    return safe && !forGood && status().isTransient();
  }

  /**
   * Returns this failure of another call as the answer of a handler, with the same status, metadata
   * and message. The message is sent even if it names hosts. To send another message, throw {@code
   * new RpcException(e.status(), words, e)}.
   */
  public RpcException passOn() {
    return new RpcException(status(), Objects.requireNonNullElse(getMessage(), ""), this)
        .withMetadata(metadata);
  }

  /**
   * Returns whether this is a handler's answer. False for the failure of a call that the handler
   * made itself.
   */
  public boolean isAnswer() {
    return answer;
  }
}
