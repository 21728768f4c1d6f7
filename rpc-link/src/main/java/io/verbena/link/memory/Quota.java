package io.verbena.link.memory;

import java.util.Comparator;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * An amount of a resource (bytes, calls) that the sessions of one client or server share. Half of
 * it is guaranteed to the sessions in equal parts. The other half is lent, first come, first
 * served.
 *
 * <pre>
 *   | share | share | share | share |          lent to any           |
 *   '------- half, for at least 4 --'-------------- half ------------'
 * </pre>
 *
 * <p>No session can use the guaranteed part of another, so a session whose peer stops takes nothing
 * from the others. The parts shrink when sessions join. A session keeps the amount that it has
 * then, so up to half as much again may be in use for a while. A session that needs a lent amount
 * asks its holders by {@link #want}, and {@linkplain Share#waiters waits} until some is released.
 * Safe for use by any thread.
 */
public final class Quota {
  /** For so many sessions a part stays free, even if other sessions came long before. */
  private static final int LEAST_MEMBERS = 4;

  private final long limit;
  private final long leastShare;
  private final AtomicLong owned = new AtomicLong();
  private final AtomicLong lent = new AtomicLong();
  private final Set<Share> members = ConcurrentHashMap.newKeySet();
  private final Waiters waiters = new Waiters(this::lendable);
  private volatile long guaranteed;

  /** A session that shares the quota. Any thread may call its methods. */
  public interface Holder {
    /** Returns the name of its peer, for messages. */
    String peer();

    /**
     * Other sessions need the amount that this session has beyond its guaranteed part. It should
     * release as much as it can.
     */
    void wanted();
  }

  /**
   * Makes a quota that is all free.
   *
   * @param limit the total amount
   * @param leastShare the least amount guaranteed to each session, for any number of sessions
   */
  public Quota(long limit, long leastShare) {
    this.limit = limit;
    this.leastShare = leastShare;
    divide();
  }

  /** Returns the total amount. */
  public long limit() {
    return limit;
  }

  /** Returns the amount in use. */
  public long taken() {
    return owned.get() + lent.get();
  }

  /** Returns whether more than the total amount is in use. */
  public boolean isOverdrawn() {
    return taken() > limit;
  }

  /** Adds a session. */
  public Share join(Holder holder) {
    Share share = new Share(holder);
    members.add(share);
    divide();
    return share;
  }

  private synchronized void divide() {
    guaranteed = Math.max(leastShare, limit / 2 / Math.max(LEAST_MEMBERS, members.size()));
  }

  /** Returns whether any session waits for a release. */
  public boolean isAwaited() {
    return !waiters.isEmpty();
  }

  /** Asks the sessions that have more than their guaranteed part to release it. */
  public void want() {
    for (Share share : members) {
      if (share.isBeyondGuaranteed()) {
        share.holder.wanted();
      }
    }
  }

  /** Returns the session that has most, and its amount, for a message. */
  public String most() {
    return members.stream()
        .max(Comparator.comparingLong(Share::held))
        .filter(share -> share.held() > 0)
        .map(share -> "%s has %d of them".formatted(share.holder.peer(), share.held()))
        .orElse("no session has any");
  }

  private long mostLent() {
    return limit - limit / 2;
  }

  private long lendable() {
    return mostLent() - lent.get();
  }

  /** The share of one session. */
  public final class Share {
    private final Holder holder;
    private final AtomicLong own = new AtomicLong();
    private final AtomicLong borrowed = new AtomicLong();

    Share(Holder holder) {
      this.holder = holder;
    }

    /** Returns the quota that is shared. */
    public Quota quota() {
      return Quota.this;
    }

    /** Returns the sessions that wait for a release. */
    public Waiters waiters() {
      return waiters;
    }

    /** Returns the part of an amount that exceeds the free guaranteed part. */
    public long beyond(long amount) {
      return amount - unused();
    }

    /** Returns the shortage that prevented taking an amount. */
    public Shortage shortage(long amount) {
      return new Shortage(waiters, () -> beyond(amount));
    }

    /** Returns the guaranteed amount. */
    public long guaranteed() {
      return guaranteed;
    }

    /** Returns the amount that the session has. */
    public long held() {
      return own.get() + borrowed.get();
    }

    /** Returns the free amount of the guaranteed part. */
    public long unused() {
      return Math.max(0, guaranteed - own.get());
    }

    /** Returns whether the session could take an amount if the other sessions had nothing. */
    public boolean mayEverTake(long amount) {
      return amount <= guaranteed + mostLent();
    }

    /**
     * Returns a message for bytes that could not be taken, with the reason, the largest holder and
     * the remedy.
     *
     * @param setting the setting to raise
     */
    public String refusal(long bytes, String setting) {
      return mayEverTake(bytes)
          ? "no memory is free for %d bytes: of %d for all sessions %d are in use; %s. Try again later"
              .formatted(bytes, limit, taken(), most())
          : "%d bytes are more than the %d that one session may have of %d: raise %s at the end that holds them"
              .formatted(bytes, guaranteed + mostLent(), limit, setting);
    }

    /** Returns whether the session has more than its guaranteed part now. */
    public boolean isBeyondGuaranteed() {
      return held() > guaranteed;
    }

    /**
     * Takes an amount, first from the guaranteed part. Returns false, and takes nothing, if there
     * is not enough.
     */
    public synchronized boolean take(long amount) {
      long within = Math.min(amount, unused());
      long beyond = amount - within;
      if (beyond > 0 && !MemoryBudget.addUpTo(mostLent(), beyond, lent)) {
        return false;
      }
      // The owned amount can exceed the limit only if earlier sessions had larger parts.
      if (within > 0 && !MemoryBudget.addUpTo(limit, within, owned)) {
        lent.addAndGet(-beyond);
        return false;
      }
      own.addAndGet(within);
      borrowed.addAndGet(beyond);
      return true;
    }

    /**
     * Takes an amount from the lent half only. Returns false, and takes nothing, if there is not
     * enough.
     */
    public synchronized boolean borrow(long amount) {
      if (!MemoryBudget.addUpTo(mostLent(), amount, lent)) {
        return false;
      }
      borrowed.addAndGet(amount);
      return true;
    }

    /**
     * Takes an amount without a check. It serves for memory that exists already and has another
     * bound.
     */
    public synchronized void takeAnyway(long amount) {
      if (!take(amount)) {
        lent.addAndGet(amount);
        borrowed.addAndGet(amount);
      }
    }

    /** Releases an amount, first of the lent half. */
    public void give(long amount) {
      synchronized (this) {
        long back = Math.min(amount, borrowed.get());
        borrowed.addAndGet(-back);
        lent.addAndGet(-back);
        own.addAndGet(back - amount);
        owned.addAndGet(back - amount);
      }
      waiters.freed();
    }

    /** Removes a session that is over. It still releases the amount that it has. */
    public void leave() {
      members.remove(this);
      divide();
      waiters.freed(); // the parts of the others are larger by now
    }
  }
}
