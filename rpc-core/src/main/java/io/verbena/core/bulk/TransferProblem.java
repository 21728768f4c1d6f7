package io.verbena.core.bulk;

import io.verbena.api.RpcStatus;
import io.verbena.core.link.LinkException;
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

  /**
   * Returns what a cause stands for: a link that cannot have memory is short of it; whatever users'
   * code throws is their end's failure.
   */
  static RpcStatus statusOf(Throwable cause) {
    return switch (cause) {
      case TransferProblem problem -> problem.status;
      case LinkException _ -> RpcStatus.RESOURCE_EXHAUSTED;
      default -> RpcStatus.INTERNAL;
    };
  }

  /** Returns a cause in words. Those of users' exceptions are users' code, which may fail, too. */
  static String wordsOf(Throwable cause) {
    if (cause instanceof TransferProblem || cause instanceof LinkException) {
      return String.valueOf(cause.getMessage());
    }
    String type = cause.getClass().getSimpleName();
    try {
      return type + ": " + cause.getMessage();
    } catch (RuntimeException broken) {
      return type + ", whose message cannot be had: " + broken.getClass().getName();
    }
  }
}
