package io.verbena.channel;

import io.verbena.api.settings.Checks;
import java.time.Duration;

/**
 * How often a call is made again where that is safe and may help ({@link
 * io.verbena.api.RpcException#mayRetry}). A budget keeps retries from drowning servers that have
 * too much to do already: a retry or a hedge takes one token, a call that ends well brings {@code
 * tokensPerCall}.
 *
 * @param attempts how often a call is made at most, from 1 (never again) to 10
 * @param delay before each retry
 * @param tokens how many tokens there are at most, and at the start; 0 to 10,000
 * @param tokensPerCall what a call that ends well brings, 0 to 1
 */
public record Retries(int attempts, Backoff delay, int tokens, double tokensPerCall) {
  /** Up to three attempts, 10 ms apart and more; in the long run one call in ten is a retry. */
  public static final Retries DEFAULT =
      new Retries(3, new Backoff(Duration.ofMillis(10), Duration.ofSeconds(1)), 100, 0.1);

  /** No retries. */
  public static final Retries NONE = new Retries(1, DEFAULT.delay, 0, 0);

  /** Checks what is set. */
  public Retries {
    Checks.between("attempts", attempts, 1, 10);
    Checks.required("delay", delay);
    Checks.between("tokens", tokens, 0, 10_000);
    Checks.that(tokensPerCall >= 0 && tokensPerCall <= 1, "tokensPerCall", "0 to 1", tokensPerCall);
  }
}
