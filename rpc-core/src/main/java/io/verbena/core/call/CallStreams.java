package io.verbena.core.call;

import io.verbena.api.stub.MethodDescriptor;
import io.verbena.codec.MessageStreams;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** The streams of one call at one end. They are built on calls and end by the call's deadline. */
public interface CallStreams extends MessageStreams {
  /**
   * Ends the stream among a call's arguments with the call, or with the stream that the call
   * returns.
   *
   * @param hasLeft returns whether the peer may know of the call
   */
  void endWith(CompletableFuture<?> call, BooleanSupplier hasLeft);

  /** Returns whether the sender of the stream that was read here reported this failure. */
  boolean failedBy(Throwable thrown);

  /** The call was not made, or its answer is not delivered. */
  void cancel();

  /** Makes the streams of calls. Safe for use by any thread. */
  interface Maker {
    /**
     * Returns the streams of a call.
     *
     * @param ofArguments whether they are among the arguments of a call that this end makes
     */
    CallStreams of(MethodDescriptor<?> method, long deadlineNanos, boolean ofArguments);

    /** Drops the result of a call. A stream is ended. */
    void drop(@Nullable Object result);
  }
}
