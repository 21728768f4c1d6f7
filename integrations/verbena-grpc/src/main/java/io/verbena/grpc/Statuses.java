package io.verbena.grpc;

import io.grpc.InternalMetadata;
import io.grpc.InternalStatus;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.internal.ClientStreamListener.RpcProgress;
import io.verbena.api.CallPhase;
import io.verbena.api.Execution;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.VerbenaException;
import java.util.Objects;
import java.util.concurrent.CompletionException;

/** Verbena's failures as gRPC's statuses. */
final class Statuses {
  private Statuses() {}

  /** Returns the status of a failed call of a session. */
  static Status of(Throwable thrown) {
    Throwable cause = unwrapped(thrown);
    if (cause instanceof RpcException failure) {
      Status status =
          of(failure.status())
              .withDescription(Objects.requireNonNullElse(failure.getMessage(), ""));
      // A cause is of this end. What the peer has answered is all that it wants to say.
      return failure.phase() == CallPhase.REPLIED ? status : status.withCause(failure);
    }
    return Status.UNAVAILABLE.withDescription("the call was lost").withCause(cause);
  }

  /** Returns the status of a stream of which a long piece did not arrive. */
  static Status ofLoss(Throwable thrown) {
    Throwable cause = unwrapped(thrown);
    RpcStatus status = cause instanceof VerbenaException why ? why.status() : RpcStatus.INTERNAL;
    if (status == RpcStatus.PERMISSION_DENIED) { // a receiver refuses what it has no memory for
      return Status.RESOURCE_EXHAUSTED
          .withDescription(
              "the receiver has no memory for a part of a long message: raise its"
                  + " -XX:MaxDirectMemorySize, or send less at once")
          .withCause(cause);
    }
    boolean noRoom = status == RpcStatus.RESOURCE_EXHAUSTED;
    return (noRoom ? Status.RESOURCE_EXHAUSTED : Status.INTERNAL)
        .withDescription("a part of a long message did not arrive: " + cause.getMessage())
        .withCause(cause);
  }

  /** Returns the code for a status. */
  static Status of(RpcStatus status) {
    return switch (status) {
      case INCOMPATIBLE -> Status.UNIMPLEMENTED;
      case PROTOCOL_ERROR -> Status.INTERNAL;
      default -> Status.Code.valueOf(status.name()).toStatus(); // the same names
    };
  }

  /**
   * Returns how far a failed call came. A call that certainly did not run is made again by gRPC
   * itself, without a retry policy: again and again if it never left this end, once if the server
   * refused it.
   */
  static RpcProgress progressOf(Throwable thrown) {
    if (unwrapped(thrown) instanceof RpcException failure
        && failure.execution() == Execution.NOT_EXECUTED) {
      return failure.phase() == CallPhase.QUEUED ? RpcProgress.MISCARRIED : RpcProgress.REFUSED;
    }
    return RpcProgress.PROCESSED;
  }

  private static Throwable unwrapped(Throwable thrown) {
    return thrown instanceof CompletionException && thrown.getCause() != null
        ? thrown.getCause()
        : thrown;
  }

  /** Returns whether trailers say that a call is OK, and nothing else. */
  static boolean isFine(Metadata trailers) {
    Status code = trailers.get(InternalStatus.CODE_KEY);
    return code != null && code.isOk() && InternalMetadata.headerCount(trailers) == 1;
  }

  /** Removes the status from trailers, and returns it. */
  static Status takeFrom(Metadata trailers) {
    Status code = trailers.get(InternalStatus.CODE_KEY);
    String words = trailers.get(InternalStatus.MESSAGE_KEY);
    trailers.discardAll(InternalStatus.CODE_KEY);
    trailers.discardAll(InternalStatus.MESSAGE_KEY);
    Status status = code == null ? Status.UNKNOWN.withDescription("no status in trailers") : code;
    return words == null ? status : status.withDescription(words);
  }

  /** Returns trailers with a status. */
  static Metadata trailers(Status status) {
    Metadata trailers = new Metadata();
    trailers.put(InternalStatus.CODE_KEY, status);
    String words = status.getDescription();
    if (words != null) {
      trailers.put(InternalStatus.MESSAGE_KEY, words);
    }
    return trailers;
  }
}
