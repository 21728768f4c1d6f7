package io.verbena.channel;

import io.verbena.api.RpcStatus;
import io.verbena.api.settings.Checks;
import io.verbena.link.runtime.NanoClock;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How often a call is made again where that is safe and may help ({@link
 * io.verbena.api.RpcException#mayRetry}). A budget keeps retries from drowning servers that have
 * too much to do already: a retry, a hedge or a third and further move takes one token, a call that
 * ends well brings {@code tokensPerCall}.
 *
 * @param attempts how often a call is made at most, from 1 (never again) to 10
 * @param delay before each retry
 * @param tokens how many tokens there are at most, and at the start; 0 to 10,000
 * @param tokensPerCall what a call that ends well brings, 0 to 1
 * @param alsoAfter failures with these statuses are reason for a retry, too, be they the handler's
 *     answer, where the call is idempotent or was surely not executed
 * @param attemptTimeout how long one attempt of an idempotent call may take, longer than 0: one
 *     without an answer is given up then, and the call is made again; null: as long as the call. A
 *     call with a landing has one attempt, and all the time
 */
public record Retries(
    int attempts,
    Backoff delay,
    int tokens,
    double tokensPerCall,
    Set<RpcStatus> alsoAfter,
    @Nullable Duration attemptTimeout) {
  /** Up to three attempts, 10 ms apart and more; in the long run one call in ten is a retry. */
  public static final Retries DEFAULT =
      new Retries(3, new Backoff(Duration.ofMillis(10), Duration.ofSeconds(1)), 100, 0.1);

  /** No retries, and two moves at most. */
  public static final Retries NONE = new Retries(1, DEFAULT.delay, 0, 0);

  /** Checks what is set. */
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

  /** Retries after the failures of {@link io.verbena.api.RpcException#mayRetry} alone. */
  public Retries(int attempts, Backoff delay, int tokens, double tokensPerCall) {
    this(attempts, delay, tokens, tokensPerCall, Set.of(), null);
  }

  /** Returns the same, with retries after failures of these statuses, too. */
  public Retries alsoAfter(RpcStatus... statuses) {
    return new Retries(
        attempts, delay, tokens, tokensPerCall, Set.copyOf(List.of(statuses)), attemptTimeout);
  }

  /**
   * Returns the same, where no attempt of an idempotent call takes longer, which is more than 0.
   */
  public Retries withAttemptTimeout(Duration timeout) {
    return new Retries(attempts, delay, tokens, tokensPerCall, alsoAfter, timeout);
  }

  long attemptNanos() {
    return attemptTimeout == null ? Long.MAX_VALUE : NanoClock.nanos(attemptTimeout);
  }
}
