package io.verbena.rdma;

import io.verbena.link.runtime.NanoClock;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
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
  private final LongAdder bulkBytes = new LongAdder();
  private final LongAdder cacheHits = new LongAdder();
  private final LongAdder cacheMisses = new LongAdder();
  private final LongAdder cacheEvictions = new LongAdder();
  private final Set<Idle> cached = ConcurrentHashMap.newKeySet();
  private final LongAdder openBytes = new LongAdder();
  private final LongAdder quarantinedBytes = new LongAdder();

  private final NanoClock clock;

  /** Made by a provider, for its links. */
  public RdmaCounters(NanoClock clock) {
    this.clock = clock;
  }

  /** Memory that is registered, while nobody uses it. Each is itself alone. */
  public static final class Idle {
    private final long bytes;
    private final long since;

    private Idle(long bytes, long since) {
      this.bytes = bytes;
      this.since = since;
    }
  }

  /**
   * All counts at about one moment.
   *
   * @param linksOpened links that could be used at some time
   * @param linksClosed links that could be used and are gone
   * @param unknownTokens connection requests with a token that was never given out, or none, and
   *     acceptances that do not repeat the offer's
   * @param replayedTokens connection requests with a token that had been used
   * @param expiredTokens connection requests that came too late
   * @param brokenRules links closed because the peer overran its credits or lied about lengths,
   *     keys or targets
   * @param backPressured frames that found no room or no credit
   * @param creditMessages Sends that carried nothing but credit
   * @param undrained links that were destroyed before all their requests had completed
   * @param bulkBytes bytes written into memory of peers
   * @param cacheHits attached memory that was registered already
   * @param cacheMisses attached memory that had to be registered
   * @param cacheEvictions registrations that were kept and had to go
   * @param cachedRegions registrations that are not in use now
   * @param cachedBytes what they have
   * @param cachedSeconds for how long the oldest of them was not used; 0 if there are none
   * @param openBytes open now for peers to write into
   * @param quarantinedBytes of these, closed by their owner and not fenced yet
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
      long undrained,
      long bulkBytes,
      long cacheHits,
      long cacheMisses,
      long cacheEvictions,
      long cachedRegions,
      long cachedBytes,
      long cachedSeconds,
      long openBytes,
      long quarantinedBytes) {}

  /** Returns the counts now. */
  public Snapshot snapshot() {
    long idleBytes = 0;
    long idleNanos = 0;
    long idleRegions = 0;
    long now = clock.nanoTime();
    for (Idle one : cached) {
      idleRegions++;
      idleBytes += one.bytes;
      idleNanos = Math.max(idleNanos, now - one.since);
    }
    return new Snapshot(
        linksOpened.sum(),
        linksClosed.sum(),
        unknownTokens.sum(),
        replayedTokens.sum(),
        expiredTokens.sum(),
        brokenRules.sum(),
        backPressured.sum(),
        creditMessages.sum(),
        undrained.sum(),
        bulkBytes.sum(),
        cacheHits.sum(),
        cacheMisses.sum(),
        cacheEvictions.sum(),
        idleRegions,
        idleBytes,
        TimeUnit.NANOSECONDS.toSeconds(idleNanos),
        openBytes.sum(),
        quarantinedBytes.sum());
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

  /** Bytes are on their way into a peer's memory. */
  public void bulkBytes(long bytes) {
    bulkBytes.add(bytes);
  }

  /** Memory was registered already. */
  public void cacheHit() {
    cacheHits.increment();
  }

  /** Memory is registered, to be kept. */
  public void cacheMiss() {
    cacheMisses.increment();
  }

  /** A registration that was kept goes. */
  public void cacheEviction() {
    cacheEvictions.increment();
  }

  /**
   * So many bytes are registered and not in use from now on, until that {@linkplain #busy ends}.
   */
  public Idle idle(long bytes) {
    Idle made = new Idle(bytes, clock.nanoTime());
    cached.add(made);
    return made;
  }

  /** It is used again, or registered no more. */
  public void busy(Idle one) {
    cached.remove(one);
  }

  /** So many bytes more, or fewer, are open to peers. */
  public void openBytes(long more) {
    openBytes.add(more);
  }

  /** So many bytes more, or fewer, are closed and not fenced. */
  public void quarantinedBytes(long more) {
    quarantinedBytes.add(more);
  }
}
