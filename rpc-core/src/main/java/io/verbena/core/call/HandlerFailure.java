package io.verbena.core.call;

import io.verbena.api.Metadata;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.stub.MethodDescriptor;
import io.verbena.core.bulk.work.FileTrouble;
import io.verbena.core.contract.OwnService;
import io.verbena.link.runtime.ThrottledLog;
import io.verbena.link.runtime.Thrown;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * What a handler threw, as its caller is told of it.
 *
 * @param type the class name of what it threw; empty where it answers with a status
 * @param metadata its own
 * @param whose who is to hear of it in this process
 */
record HandlerFailure(RpcStatus status, String type, String words, Metadata metadata, Whose whose) {
  private static final Logger LOG = LoggerFactory.getLogger(ServerCall.class);
  private static final ThrottledLog MACHINE_ERROR =
      ThrottledLog.of(ServerCall.class, "handlers that ended in an error of the virtual machine");
  private static final ThrottledLog BUG =
      ThrottledLog.of(ServerCall.class, "handlers that threw what their contract does not declare");

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
    Downstream other = Downstream.in(thrown);
    if (other != null && !cancelled && argument != null && argument.failedBy(other.failure())) {
      String words = "the caller's own stream failed: " + other.failure().getMessage();
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
  private static RpcStatus statusOf(Downstream stream) {
    RpcStatus status = stream.status();
    return status == RpcStatus.INTERNAL ? RpcStatus.INVALID_ARGUMENT : status;
  }

  private static String words(
      Throwable thrown, @Nullable Downstream other, @Nullable FileTrouble file) {
    if (other != null) {
      return other.words();
    }
    String words = file == null ? null : file.words();
    return words == null ? Thrown.fullWords(thrown) : words;
  }

  /**
   * Tells this process of what a handler threw: its caller has no more than words.
   *
   * @param ran whether it was the handler, and not an interceptor before it
   * @return whether that is still to be done, together with the peer that made a one-way call
   */
  boolean tell(Throwable thrown, MethodDescriptor<?> method, boolean ran) {
    if (whose == Whose.NOBODYS || OwnService.has(method)) { // its stream tells
      return false;
    }
    if (thrown instanceof VirtualMachineError) {
      MACHINE_ERROR.error("{} ended in an error of the virtual machine", method, thrown);
    } else if (whose == Whose.CALLERS) {
      if (LOG.isDebugEnabled()) {
        Thrown.log(LOG, Level.DEBUG, "{} threw", method, thrown);
      }
    } else if (method.oneway()) {
      return true;
    } else {
      String who = ran ? "The handler" : "An interceptor before the handler";
      BUG.warn(who + " of {} threw what its contract does not declare", method, thrown);
    }
    return false;
  }
}
