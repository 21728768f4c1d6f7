package io.verbena.core.call;

import io.verbena.api.stub.MethodDescriptor;
import io.verbena.codec.MessageStreams;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** The streams of one call at one of its ends, which lie above calls: they end by its deadline. */
public interface CallStreams extends MessageStreams {
  /**
   * The stream among a call's arguments ends with the call, or with the stream that it returns.
   *
   * @param hasLeft whether the peer may know of the call
   */
  void endWith(CompletableFuture<?> call, BooleanSupplier hasLeft);

  /** Returns whether this is how the stream that was read here has failed at its sender. */
  boolean failedBy(Throwable thrown);

  /** The call was not made, or nobody hears of its answer. */
  void cancel();

  /** Makes them. Safe for any thread. */
  interface Maker {
    /**
     * Returns those of a call.
     *
     * @param ofArguments whether they are among the arguments of a call of this end's
     */
    CallStreams of(MethodDescriptor<?> method, long deadlineNanos, boolean ofArguments);

    /** Nobody takes the result of a call: ends it, if it is a stream. */
    void drop(@Nullable Object result);
  }
}
