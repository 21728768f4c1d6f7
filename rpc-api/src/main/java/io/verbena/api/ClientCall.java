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
  /** Returns the method that is called. */
  MethodDescriptor<R> method();

  /** Returns the session that carries the call. */
  Session session();

  /** Returns the metadata that the call carries so far. */
  Metadata metadata();

  /**
   * Returns the time left until the call's deadline; zero after it. The deadline covers everything
   * that interceptors do. A call that they delay or repeat ends by the same deadline.
   */
  Duration remaining();

  /**
   * Makes the call with the metadata that it carries so far.
   *
   * @see #proceed(Metadata)
   */
  CompletionStage<Answer<R>> proceed();

  /**
   * Makes the call with these metadata. The call goes to the next interceptor, or after the last
   * one to the session. This method returns at once, with two exceptions, where the call of a
   * blocking stub proceeds on its caller's thread: it waits here for room if too many calls are in
   * flight, and it waits for its reply, for at most 5 ms, where that saves changes of thread. The
   * stage may then be complete.
   *
   * <p>An interceptor may proceed later, and on any thread. It may proceed several times. Each time
   * the call is encoded again from its arguments, which must not have changed, and each time the
   * server may execute it. Proceed again only if {@link RpcException#mayRetry} is true. When the
   * call has ended, its other attempts are cancelled, and proceeding fails with CANCELLED.
   *
   * @return the outcome of this attempt. The stage fails with an exception that the method
   *     declares, or with an {@link RpcException}. Cancelling its future cancels this attempt
   */
  CompletionStage<Answer<R>> proceed(Metadata metadata);

  /**
   * Makes the call as {@link #proceed(Metadata)} does, with a timeout for this attempt.
   *
   * @param timeout longer than 0; the call's own deadline counts if it is earlier
   */
  CompletionStage<Answer<R>> proceed(Metadata metadata, Duration timeout);

  /**
   * Returns the metadata of the last reply to this call, whether it was a result or a failure.
   * Empty before the first reply. For an exception that the method declares, they are available
   * here alone.
   */
  Metadata replyMetadata();
}
