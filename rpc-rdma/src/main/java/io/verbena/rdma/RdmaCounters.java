package io.verbena.rdma;

import java.util.concurrent.atomic.LongAdder;

/** What has happened on all RDMA links of one provider. Safe for use by any thread. */
public final class RdmaCounters {
  private final LongAdder linksOpened = new LongAdder();
  private final LongAdder linksClosed = new LongAdder();
  private final LongAdder unknownTokens = new LongAdder();
  private final LongAdder replayedTokens = new LongAdder();
  private final LongAdder expiredTokens = new LongAdder();
  private final LongAdder brokenRules = new LongAdder();
  private final LongAdder backPressured = new LongAdder();
  private final LongAdder creditMessages = new LongAdder();
  private final LongAdder undrained = new LongAdder();

  /** Made by a provider, for its links. */
  public RdmaCounters() {}

  /**
   * All counts at about one moment.
   *
   * @param linksOpened links that could be used at some time
   * @param linksClosed links that could be used and are gone
   * @param unknownTokens connection requests with a token that was never given out, or none
   * @param replayedTokens connection requests with a token that had been used
   * @param expiredTokens connection requests that came too late
   * @param brokenRules links closed because the peer overran its credits or lied about lengths
   * @param backPressured frames that found no room or no credit
   * @param creditMessages Sends that carried nothing but credit
   * @param undrained links that were destroyed before all their requests had completed
   */
  public record Snapshot(
      long linksOpened,
      long linksClosed,
      long unknownTokens,
      long replayedTokens,
      long expiredTokens,
      long brokenRules,
      long backPressured,
      long creditMessages,
      long undrained) {}

  /** Returns the counts now. */
  public Snapshot snapshot() {
    return new Snapshot(
        linksOpened.sum(),
        linksClosed.sum(),
        unknownTokens.sum(),
        replayedTokens.sum(),
        expiredTokens.sum(),
        brokenRules.sum(),
        backPressured.sum(),
        creditMessages.sum(),
        undrained.sum());
  }

  /** A link can be used. */
  public void linkOpened() {
    linksOpened.increment();
  }

  /** A link that could be used is gone. */
  public void linkClosed() {
    linksClosed.increment();
  }

  /** A stranger was turned away. */
  public void unknownToken() {
    unknownTokens.increment();
  }

  /** A used token was refused. */
  public void replayedToken() {
    replayedTokens.increment();
  }

  /** A token came too late. */
  public void expiredToken() {
    expiredTokens.increment();
  }

  /** A peer broke the rules of the wire. */
  public void brokeRules() {
    brokenRules.increment();
  }

  /** A frame was turned back. */
  public void backPressured() {
    backPressured.increment();
  }

  /** Credit went by itself. */
  public void creditMessage() {
    creditMessages.increment();
  }

  /** A queue pair had to be destroyed before it was drained. */
  public void undrained() {
    undrained.increment();
  }
}
