package io.verbena.channel;

import io.verbena.api.RpcStatus;
import io.verbena.api.settings.Checks;
import io.verbena.link.runtime.NanoClock;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Limits of retries. Immutable; start from {@link #DEFAULT}. A call is retried only if that is safe
 * and may help ({@link io.verbena.api.RpcException#mayRetry}). A budget keeps retries from flooding
 * overloaded servers: a retry, a hedge or each move after the second takes one token, and a call
 * that succeeds adds {@code tokensPerCall}.
 */
public final class Retries {
  /**
   * At most three attempts, with delays from 10 ms; in the long run at most one call in ten is a
   * retry.
   */
  public static final Retries DEFAULT =
      new Retries(
          new Values(
              3,
              Backoff.of(Duration.ofMillis(10), Duration.ofSeconds(1)),
              100,
              0.1,
              Set.of(),
              null));

  /** No retries, and at most two moves. */
  public static final Retries NONE = DEFAULT.withAttempts(1).withTokens(0, 0);

  private final Values values;

  private record Values(
      int attempts,
      Backoff delay,
      int tokens,
      double tokensPerCall,
      Set<RpcStatus> alsoAfter,
      @Nullable Duration attemptTimeout) {
    private Values {
      Checks.between("attempts", attempts, 1, 10);
      Checks.required("delay", delay);
      Checks.between("tokens", tokens, 0, 10_000);
      Checks.that(
          tokensPerCall >= 0 && tokensPerCall <= 1, "tokensPerCall", "0 to 1", tokensPerCall);
      alsoAfter = Set.copyOf(Checks.required("alsoAfter", alsoAfter));
      if (attemptTimeout != null) {
        Checks.positive("attemptTimeout", attemptTimeout);
      }
    }
  }

  private Retries(Values values) {
    this.values = values;
  }

  /** Returns the largest number of attempts of a call, from 1 (no retry) to 10. */
  public int attempts() {
    return values.attempts;
  }

  /** Returns the delay before each retry. */
  public Backoff delay() {
    return values.delay;
  }

  /** Returns the budget's tokens at most, and at the start; 0 to 10,000. */
  public int tokens() {
    return values.tokens;
  }

  /** Returns the tokens that a successful call adds, 0 to 1. */
  public double tokensPerCall() {
    return values.tokensPerCall;
  }

  /**
   * Returns the further statuses that are retried, even as the handler's answer, if the call is
   * idempotent or was surely not executed.
   */
  public Set<RpcStatus> alsoAfter() {
    return values.alsoAfter;
  }

  /**
   * Returns the time limit of one attempt of an idempotent call, longer than 0. An attempt without
   * an answer by then is cancelled and retried; null: as long as the call. A call with a landing
   * has one attempt, and all the time.
   */
  public @Nullable Duration attemptTimeout() {
    return values.attemptTimeout;
  }

  /** Returns these settings with another number of attempts, from 1 (no retry) to 10. */
  public Retries withAttempts(int value) {
    return new Retries(
        new Values(
            value,
            values.delay,
            values.tokens,
            values.tokensPerCall,
            values.alsoAfter,
            values.attemptTimeout));
  }

  /** Returns these settings with another delay before each retry. */
  public Retries withDelay(Backoff value) {
    return new Retries(
        new Values(
            values.attempts,
            value,
            values.tokens,
            values.tokensPerCall,
            values.alsoAfter,
            values.attemptTimeout));
  }

  /**
   * Returns these settings with another budget.
   *
   * @param most the tokens at most, and at the start; 0 to 10,000
   * @param perCall the tokens that a successful call adds, 0 to 1
   */
  public Retries withTokens(int most, double perCall) {
    return new Retries(
        new Values(
            values.attempts, values.delay, most, perCall, values.alsoAfter, values.attemptTimeout));
  }

  /** Returns these settings, with retries after failures of these statuses too. */
  public Retries withAlsoAfter(RpcStatus... statuses) {
    return new Retries(
        new Values(
            values.attempts,
            values.delay,
            values.tokens,
            values.tokensPerCall,
            Set.copyOf(List.of(statuses)),
            values.attemptTimeout));
  }

  /**
   * Returns these settings, with a time limit for each attempt of an idempotent call, longer than
   * 0.
   */
  public Retries withAttemptTimeout(Duration timeout) {
    return new Retries(
        new Values(
            values.attempts,
            values.delay,
            values.tokens,
            values.tokensPerCall,
            values.alsoAfter,
            timeout));
  }

  long attemptNanos() {
    return values.attemptTimeout == null ? Long.MAX_VALUE : NanoClock.nanos(values.attemptTimeout);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Retries it && values.equals(it.values);
  }

  @Override
  public int hashCode() {
    return values.hashCode();
  }

  /** Returns the name and value of each option. */
  @Override
  public String toString() {
    return values.toString().replaceFirst("Values", "Retries");
  }
}
