package io.verbena.core.session;

import io.verbena.core.loop.Timers;
import io.verbena.core.sequence.Inbox;
import io.verbena.link.memory.Progress;
import java.time.Duration;

/**
 * Ends what of the peer's has stopped in the middle, where others want the memory that it has taken
 * beyond this session's part. A peer that is slow may go on: see {@link Progress}. On the loop, but
 * {@link #wanted}.
 */
final class Stalls implements Timers.Timer {
  private static final Duration LONGEST = Duration.ofSeconds(5);

  static final String WHY =
      "it brought nothing, or hardly anything, for "
          + LONGEST.toSeconds()
          + " s while others wanted the memory that it held";

  private final SessionImpl session;
  private final Inbox inbox;
  private boolean watching;

  Stalls(SessionImpl session, Inbox inbox) {
    this.session = session;
    this.inbox = inbox;
  }

  /** Others want memory. Safe for any thread. */
  void wanted() {
    session.loop().execute(this::watch);
  }

  private void watch() {
    if (!watching && !session.isEnded()) {
      watching = true;
      inbox.mark();
      session.participants().forEach(Participant::markArrivals);
      long now = session.loop().clock().nanoTime();
      session.loop().timers().schedule(now + LONGEST.toNanos(), this);
    }
  }

  @Override
  public void onTimer(long nowNanos) {
    watching = false;
    if (session.memory().assemblies().isBeyondGuaranteed()) {
      inbox.dropStalled(WHY);
    }
    if (session.memory().assemblies().isBeyondGuaranteed()
        || session.memory().values().isBeyondGuaranteed()) {
      session.participants().forEach(one -> one.endStalled(WHY));
    }
  }
}
