package io.verbena.channel;

import io.verbena.api.RpcStatus;
import io.verbena.api.settings.Checks;
import io.verbena.link.runtime.NanoClock;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Limits of retries. A call is retried only if that is safe and may help ({@link
 * io.verbena.api.RpcException#mayRetry}). A budget keeps retries from flooding overloaded servers:
 * a retry, a hedge or each move after the second takes one token, and a call that succeeds adds
 * {@code tokensPerCall}.
 *
 * @param attempts attempts of a call at most, from 1 (no retry) to 10
 * @param delay before each retry
 * @param tokens the budget's tokens at most, and at the start; 0 to 10,000
 * @param tokensPerCall the tokens that a successful call adds, 0 to 1
 * @param alsoAfter further statuses that are retried, even as the handler's answer, if the call is
 *     idempotent or was surely not executed
 * @param attemptTimeout the time limit of one attempt of an idempotent call, longer than 0. An
 *     attempt without an answer by then is cancelled and retried; null: as long as the call. A call
 *     with a landing has one attempt, and all the time
 */
public record Retries(
    int attempts,
    Backoff delay,
    int tokens,
    double tokensPerCall,
    Set<RpcStatus> alsoAfter,
    @Nullable Duration attemptTimeout) {
  /**
   * At most three attempts, with delays from 10 ms; in the long run at most one call in ten is a
   * retry.
   */
  public static final Retries DEFAULT =
      new Retries(3, new Backoff(Duration.ofMillis(10), Duration.ofSeconds(1)), 100, 0.1);

  /** No retries, and at most two moves. */
  public static final Retries NONE = new Retries(1, DEFAULT.delay, 0, 0);

  /** Checks the settings. */
  public Retries {
    Checks.between("attempts", attempts, 1, 10);
    Checks.required("delay", delay);
    Checks.between("tokens", tokens, 0, 10_000);
    Checks.that(tokensPerCall >= 0 && tokensPerCall <= 1, "tokensPerCall", "0 to 1", tokensPerCall);
    alsoAfter = Set.copyOf(Checks.required("alsoAfter", alsoAfter));
    if (attemptTimeout != null) {
      Checks.positive("attemptTimeout", attemptTimeout);
    }
  }

  /** Retries only after the failures of {@link io.verbena.api.RpcException#mayRetry}. */
  public Retries(int attempts, Backoff delay, int tokens, double tokensPerCall) {
    this(attempts, delay, tokens, tokensPerCall, Set.of(), null);
  }

  /** Returns these settings, with retries after failures of these statuses too. */
  public Retries alsoAfter(RpcStatus... statuses) {
    return new Retries(
        attempts, delay, tokens, tokensPerCall, Set.copyOf(List.of(statuses)), attemptTimeout);
  }

  /**
   * Returns these settings, with a time limit for each attempt of an idempotent call, longer than
   * 0.
   */
  public Retries withAttemptTimeout(Duration timeout) {
    return new Retries(attempts, delay, tokens, tokensPerCall, alsoAfter, timeout);
  }

  long attemptNanos() {
    return attemptTimeout == null ? Long.MAX_VALUE : NanoClock.nanos(attemptTimeout);
  }
}
