package io.verbena.channel;

import java.util.concurrent.atomic.AtomicLong;

/** A token bucket. Safe for use by any thread. */
final class RetryBudget {
  private static final long TOKEN = 1_000;

  private final long most;
  private final long perCall;
  private final AtomicLong tokens;

  RetryBudget(Retries retries) {
    this.most = retries.tokens() * TOKEN;
    this.perCall = Math.round(retries.tokensPerCall() * TOKEN);
    this.tokens = new AtomicLong(most);
  }

  /** Adds the tokens of a call that succeeded. */
  void earn() {
    if (tokens.get() < most) { // mostly full, so that nothing is written
      tokens.updateAndGet(now -> Math.min(most, now + perCall));
    }
  }

  /** Takes a token; returns whether there was one. */
  boolean take() {
    return tokens.getAndUpdate(now -> now < TOKEN ? now : now - TOKEN) >= TOKEN;
  }
}
