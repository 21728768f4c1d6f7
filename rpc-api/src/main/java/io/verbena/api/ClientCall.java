package io.verbena.api;

import io.verbena.api.stub.MethodDescriptor;
import java.time.Duration;
import java.util.concurrent.CompletionStage;

/**
 * A call on its way through a {@link ClientInterceptor}. Safe for use by any thread.
 *
 * @param <R> the method's result
 */
public interface ClientCall<R> {
  /** Returns the method called. */
  MethodDescriptor<R> method();

  /** Returns the session that the call goes by. */
  Session session();

  /** Returns what the call takes along beside its arguments, as far as it is known here. */
  Metadata metadata();

  /**
   * Returns the time left until the call's deadline; zero when it has passed. The deadline holds
   * for all that interceptors do: a call that they delay or repeat ends by it.
   */
  Duration remaining();

  /**
   * Makes the call with what it takes along so far.
   *
   * @see #proceed(Metadata)
   */
  CompletionStage<Answer<R>> proceed();

  /**
   * Makes the call with these metadata: goes on to the next interceptor, or behind the last to the
   * session. Returns at once; a blocking stub's call waits here for room where too many calls are
   * in flight, if it proceeds on its caller's thread.
   *
   * <p>May be called later, and on any thread. May be called again: each time the call is made anew
   * from its arguments, which must not have changed, and may be executed each time. Do so where
   * {@link RpcException#mayRetry} says that it is safe. When the call has ended, what is still
   * under way of it is cancelled, and proceeding fails with CANCELLED.
   *
   * @return how it ends; fails with what the method declares, or an {@link RpcException}.
   *     Cancelling its future cancels what was begun here
   */
  CompletionStage<Answer<R>> proceed(Metadata metadata);

  /**
   * The same, within a time of its own.
   *
   * @param timeout longer than 0; the call's own deadline counts where it is earlier
   */
  CompletionStage<Answer<R>> proceed(Metadata metadata, Duration timeout);

  /**
   * Returns what the last reply to this call brought along, whichever way it ended; empty before. A
   * declared exception has no metadata of its own: here they are.
   */
  Metadata replyMetadata();
}
