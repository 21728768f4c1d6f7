package io.verbena.core.bulk;

import io.verbena.api.RpcStatus;
import org.jspecify.annotations.Nullable;

/** Why a transfer cannot go on, with the status that says what kind of reason that is. */
final class TransferProblem extends Exception {
  private static final long serialVersionUID = 1L;

  private final RpcStatus status;

  TransferProblem(RpcStatus status, String message) {
    this(status, message, null);
  }

  TransferProblem(RpcStatus status, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.status = status;
  }

  RpcStatus status() {
    return status;
  }

  /** Returns what a cause stands for; whatever users' code throws is their end's failure. */
  static RpcStatus statusOf(Throwable cause) {
    return cause instanceof TransferProblem problem ? problem.status : RpcStatus.INTERNAL;
  }

  /** Returns a cause in words. */
  static String wordsOf(Throwable cause) {
    return cause instanceof TransferProblem
        ? String.valueOf(cause.getMessage())
        : cause.getClass().getSimpleName() + ": " + cause.getMessage();
  }
}
