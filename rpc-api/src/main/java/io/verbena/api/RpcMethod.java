package io.verbena.api;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Marks a method of an {@link RpcService} interface as callable from the other end. */
@Documented
@Retention(RetentionPolicy.CLASS)
@Target(ElementType.METHOD)
public @interface RpcMethod {
  /**
   * The method's number on the wire. It is positive, unique within its service, and never reused.
   */
  int id();

  /**
   * Whether executing the call twice has the same effect as executing it once. A session never
   * repeats a call by itself; {@link RpcException#mayRetry()} says when a caller may.
   */
  boolean idempotent() default false;

  /**
   * Whether the method has no reply, not even an error. The method must return {@code void}. A call
   * is executed at most once, and handlers start in the order of sending. {@link #timeout} bounds
   * only the wait before sending, for a slow receiver or for a session. It does not cancel a call
   * that was sent. Calls that are lost with a peer are counted and logged.
   */
  boolean oneway() default false;

  /**
   * Whether the handler is short and never blocks. It then runs on the event loop, which saves a
   * change of threads. While it runs, everything else on that loop waits.
   */
  boolean nonBlocking() default false;

  /**
   * The timeout of a call whose caller sets none, such as {@code "250ms"}, {@code "5s"} or {@code
   * "2m"}. If it is empty, the session's default counts, which is 15 s.
   */
  String timeout() default "";
}
