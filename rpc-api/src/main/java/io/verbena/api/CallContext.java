package io.verbena.api;

import io.verbena.api.stub.CallScope;
import io.verbena.api.stub.MethodDescriptor;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The call that the current thread is handling. Valid until the handler returns; safe for use by
 * any thread until then.
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

  /** Returns the session the call came by: use it to call back. */
  Session session();

  /** Returns the method that is called. */
  MethodDescriptor<?> method();

  /** Returns what the caller sent beside the arguments. */
  Metadata metadata();

  /**
   * Returns what goes back beside the result, or beside the failure, as far as it is set. Of a call
   * with one reply there are no headers and trailers apart: both travel in that reply.
   */
  Metadata replyMetadata();

  /**
   * Sets what goes back beside the result, or beside the failure; an exception's {@linkplain
   * RpcException#metadata own} come behind it. To keep what others have set, begin with {@link
   * #replyMetadata()}. A one-way call has no reply, and takes them nowhere.
   */
  void replyMetadata(Metadata metadata);

  /**
   * Returns the status that the caller is told where the handler, or an interceptor, throws this
   * now. For interceptors that observe; a declared exception has no status, and is not thrown
   * there.
   */
  RpcStatus statusOf(Throwable thrown);

  /** Returns the time left until the caller gives up; zero when it has passed. */
  Duration remaining();

  /** Returns whether the caller has cancelled, its deadline has passed, or its session is gone. */
  boolean isCancelled();

  /**
   * Runs an action once when the call is cancelled; at once if it is already. A handler's thread is
   * interrupted as well, except on the event loop.
   */
  void onCancel(Runnable action);
}
