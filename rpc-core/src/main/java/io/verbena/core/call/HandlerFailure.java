package io.verbena.core.call;

import io.verbena.api.Metadata;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.VerbenaException;
import io.verbena.core.bulk.FileTrouble;
import io.verbena.link.runtime.Thrown;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The failure of a handler, as its caller receives it.
 *
 * @param type the class name of the exception; empty if the handler answers with a status
 * @param whose the origin of the fault, which decides where this process reports it
 */
record HandlerFailure(RpcStatus status, String type, String words, Metadata metadata, Whose whose) {
  private static final int DEEPEST = 16;

  enum Whose {
    /** The exception is an answer. */
    NOBODYS,
    /** The caller gave up, or its arguments are wrong. */
    CALLERS,
    /** The handler has a fault. */
    HANDLERS
  }

  /**
   * Returns the failure for an exception.
   *
   * @param argument the stream among the call's arguments; null if there is none
   * @param stopped the status if the handler was stopped
   * @param cancelled whether the call was cancelled
   * @param late whether the deadline has passed
   */
  static HandlerFailure of(
      Throwable thrown,
      @Nullable CallStreams argument,
      RpcStatus stopped,
      boolean cancelled,
      boolean late) {
    if (thrown instanceof RpcException answer && answer.isAnswer()) {
      RpcStatus status = answer.status() == RpcStatus.CANCELLED ? stopped : answer.status();
      String words = Objects.requireNonNullElse(answer.getMessage(), "");
      return new HandlerFailure(status, "", words, answer.metadata(), Whose.NOBODYS);
    }
    VerbenaException other = downstream(thrown);
    if (other != null && !cancelled && argument != null && argument.failedBy(other)) {
      String words = "the caller's own stream failed: " + other.getMessage();
      return new HandlerFailure(statusOf(other), "", words, Metadata.EMPTY, Whose.CALLERS);
    }
    boolean timeIsUp = other != null && other.status() == RpcStatus.DEADLINE_EXCEEDED && late;
    FileTrouble file = other == null ? FileTrouble.in(thrown) : null;
    RpcStatus undeclared = file == null ? RpcStatus.INTERNAL : file.status();
    undeclared = timeIsUp ? RpcStatus.DEADLINE_EXCEEDED : undeclared;
    boolean callers = cancelled || timeIsUp || undeclared == RpcStatus.INVALID_ARGUMENT;
    return new HandlerFailure(
        cancelled ? stopped : undeclared,
        thrown.getClass().getName(),
        words(thrown, other, file),
        Metadata.EMPTY,
        callers ? Whose.CALLERS : Whose.HANDLERS);
  }

  /** Returns the status for a broken stream among the arguments. */
  private static RpcStatus statusOf(VerbenaException stream) {
    RpcStatus status = stream.status();
    return status == RpcStatus.INTERNAL ? RpcStatus.INVALID_ARGUMENT : status;
  }

  private static String words(
      Throwable thrown, @Nullable VerbenaException other, @Nullable FileTrouble file) {
    if (other != null) {
      return "another call or transfer that its handler needed failed: "
          + other.status()
          + ". See the log of the handler's process";
    }
    String words = file == null ? null : file.words();
    return words == null ? Thrown.fullWords(thrown) : words;
  }

  /**
   * Returns the failure of another service that the handler has let through, or null. The handler's
   * exception is that failure, or repeats its message, as exceptions do that carry a failure from
   * thread to thread. The message of that failure names hosts and must not reach the caller.
   */
  private static @Nullable VerbenaException downstream(Throwable thrown) {
    Throwable cause = thrown;
    for (int depth = 0; cause != null && depth < DEEPEST; depth++) {
      if (cause instanceof VerbenaException failure && !isAnswer(failure)) {
        boolean repeated =
            cause == thrown || Thrown.repeats(thrown, String.valueOf(failure.getMessage()));
        return repeated ? failure : null;
      }
      cause = cause.getCause();
    }
    return null;
  }

  private static boolean isAnswer(VerbenaException failure) {
    return failure instanceof RpcException call && call.isAnswer();
  }
}
