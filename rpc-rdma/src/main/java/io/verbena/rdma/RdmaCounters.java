package io.verbena.rdma;

import io.verbena.link.runtime.NanoClock;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts events on all RDMA links of one provider, as {@link Snapshot} describes them. Safe for use
 * by any thread.
 */
public final class RdmaCounters {
  public final LongAdder linksOpened = new LongAdder();
  public final LongAdder linksClosed = new LongAdder();
  public final LongAdder unknownTokens = new LongAdder();
  public final LongAdder replayedTokens = new LongAdder();
  public final LongAdder expiredTokens = new LongAdder();
  public final LongAdder brokenRules = new LongAdder();
  public final LongAdder backPressured = new LongAdder();
  public final LongAdder creditMessages = new LongAdder();
  public final LongAdder undrained = new LongAdder();
  public final LongAdder bulkBytes = new LongAdder();
  public final LongAdder cacheHits = new LongAdder();
  public final LongAdder cacheMisses = new LongAdder();
  public final LongAdder cacheEvictions = new LongAdder();
  public final LongAdder openBytes = new LongAdder();
  public final LongAdder quarantinedBytes = new LongAdder();
  private final Set<Idle> cached = ConcurrentHashMap.newKeySet();
  private final NanoClock clock;

  /** Makes counters, for the links of one provider. */
  public RdmaCounters(NanoClock clock) {
    this.clock = clock;
  }

  /** Idle memory that stays registered. It is compared by identity. */
  public static final class Idle {
    private final long bytes;
    private final long since;

    private Idle(long bytes, long since) {
      this.bytes = bytes;
      this.since = since;
    }
  }

  /**
   * All counts, taken at about one moment.
   *
   * @param linksOpened links that have opened
   * @param linksClosed links that have opened and ended
   * @param unknownTokens connection requests with an unknown token or none, and acceptances that do
   *     not repeat the offer's token
   * @param replayedTokens connection requests with a used token
   * @param expiredTokens connection requests that came too late
   * @param brokenRules links closed because the peer exceeded its credits, or sent wrong lengths,
   *     keys or targets
   * @param backPressured frames that found no room or no credit
   * @param creditMessages Sends that carried only credit
   * @param undrained links that were destroyed before all their requests had completed
   * @param bulkBytes bytes written into memory of peers
   * @param cacheHits attached memory that was registered already
   * @param cacheMisses attached memory that had to be registered
   * @param cacheEvictions kept registrations that were removed for room
   * @param cachedRegions registrations that are kept while unused
   * @param cachedBytes the bytes of these
   * @param cachedSeconds the longest time that one of them has been unused; 0 if there are none
   * @param openBytes bytes that peers may write to now
   * @param quarantinedBytes bytes of these that their owner has closed, and that are not fenced yet
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

  /** Counts registered bytes as idle, until {@link #busy}. */
  public Idle idle(long bytes) {
    Idle made = new Idle(bytes, clock.nanoTime());
    cached.add(made);
    return made;
  }

  /** The memory is in use again, or deregistered. */
  public void busy(Idle one) {
    cached.remove(one);
  }
}
