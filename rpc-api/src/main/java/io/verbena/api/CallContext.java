package io.verbena.api;

import io.verbena.api.stub.CallScope;
import io.verbena.api.stub.MethodDescriptor;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The call that the current thread is handling. It is valid until the handler returns, and any
 * thread may use it until then.
 */
public interface CallContext {
  /**
   * Returns the call that this thread handles.
   *
   * @throws IllegalStateException if this thread handles none
   */
  static CallContext current() {
    CallContext context = currentOrNull();
    if (context == null) {
      throw new IllegalStateException(
          "no call is handled on this thread; CallContext.current() works inside a handler");
    }
    return context;
  }

  /** Returns the call that this thread handles, or null if it handles none. */
  static @Nullable CallContext currentOrNull() {
    return CallScope.currentOrNull();
  }

  /** Returns the session through which the call arrived. Use it to call back. */
  Session session();

  /** Returns the method that is called. */
  MethodDescriptor<?> method();

  /** Returns the metadata that the caller sent with the arguments. */
  Metadata metadata();

  /**
   * Returns the metadata that were set so far for the reply. They travel with the result or with
   * the failure. There are no separate headers and trailers, because a call has one reply.
   */
  Metadata replyMetadata();

  /**
   * Sets the metadata of the reply. They travel with the result or with the failure. An exception's
   * {@linkplain RpcException#metadata own metadata} are appended to them. To keep what others have
   * set, begin with {@link #replyMetadata()}. A one-way call has no reply, so its metadata are
   * dropped.
   */
  void replyMetadata(Metadata metadata);

  /**
   * Returns the status that the caller would receive if the handler, or an interceptor, threw this
   * exception now. It serves interceptors that only observe. Do not ask it about an exception that
   * the method declares, which has no status.
   */
  RpcStatus statusOf(Throwable thrown);

  /** Returns the time left until the call's deadline; zero after it. */
  Duration remaining();

  /**
   * Returns whether the caller has cancelled the call, its deadline has passed, or its session is
   * gone.
   */
  boolean isCancelled();

  /**
   * Runs an action once when the call is cancelled, or at once if it is cancelled already. The
   * handler's thread is interrupted as well, except on the event loop.
   */
  void onCancel(Runnable action);
}
