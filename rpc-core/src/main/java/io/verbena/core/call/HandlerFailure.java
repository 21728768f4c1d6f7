package io.verbena.core.call;

import io.verbena.api.Metadata;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.VerbenaException;
import io.verbena.core.bulk.FileTrouble;
import io.verbena.link.runtime.Thrown;
import org.jspecify.annotations.Nullable;

/**
 * What a handler threw, as its caller is told of it.
 *
 * @param type the class name of what it threw; empty where it answers with a status
 * @param metadata its own
 * @param whose who is to hear of it in this process
 */
record HandlerFailure(RpcStatus status, String type, String words, Metadata metadata, Whose whose) {
  private static final int DEEPEST = 16;

  /** Whose doing it is that a handler threw. */
  enum Whose {
    /** It is an answer. */
    NOBODYS,
    /** The caller gave up, or its arguments are at fault. */
    CALLERS,
    /** The handler's. */
    HANDLERS
  }

  /**
   * Returns what to make of it.
   *
   * @param argument the stream among the call's arguments; null if there is none
   * @param stopped what to call it that the handler was stopped
   * @param cancelled whether it was
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
      String words = String.valueOf(answer.getMessage());
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

  /** What broke is an argument. */
  private static RpcStatus statusOf(VerbenaException stream) {
    RpcStatus status = stream.status();
    return status == RpcStatus.INTERNAL ? RpcStatus.INVALID_ARGUMENT : status;
  }

  private static String words(
      Throwable thrown, @Nullable VerbenaException other, @Nullable FileTrouble file) {
    if (other != null) {
      return "another call or transfer that its handler needed failed: "
          + other.status()
          + ". The log of the handler's process says more";
    }
    String words = file == null ? null : file.words();
    return words == null ? Thrown.fullWords(thrown) : words;
  }

  /**
   * Returns another service's failure that the handler has let through: one that its exception is,
   * or whose message it repeats as its own, as those do that carry a failure from thread to thread.
   * Null if there is none. Its message tells this process where that service is, and is not for the
   * caller of this one.
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
