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
  /** Names the method on the wire: positive, unique within its service, never reused. */
  int id();

  /**
   * Whether executing the call twice does no more than executing it once. Verbena never repeats a
   * call by itself; {@link RpcException#mayRetry()} tells a caller when it may.
   */
  boolean idempotent() default false;

  /**
   * Whether the caller wants no reply, not even an error. The method must return {@code void}. It
   * is executed at most once, its handler starts in the order of sending, and time does not cancel
   * it: {@link #timeout} says how long sending it may wait, for a receiver that is behind or for a
   * session. What is lost with a peer is counted and logged.
   */
  boolean oneway() default false;

  /**
   * Whether the handler never blocks and is short. It then runs on the event loop itself, which
   * saves a hop between threads; while it runs, nothing else on that loop does.
   */
  boolean nonBlocking() default false;

  /**
   * The deadline of a call where its caller gives none, such as {@code "250ms"}, {@code "5s"} or
   * {@code "2m"}. Empty: the session's default, 15 s.
   */
  String timeout() default "";
}
