package io.verbena.link.memory;

import java.util.Comparator;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * So much of something (bytes, calls) that the sessions of one client or server share. Half of it
 * is guaranteed to them in equal parts; the other half is lent to whoever comes first.
 *
 * <pre>
 *   | share | share | share | share |          lent to any           |
 *   '------- half, for at least 4 --'-------------- half ------------'
 * </pre>
 *
 * <p>What a session has of its guaranteed part nobody else can have, so that one whose peer stops
 * takes nothing from the others. The parts shrink as sessions come; what one has by then it keeps,
 * so that for a while half as much again may be in use. Who needs what is lent out tells its
 * holders so, by {@link #want}, and {@linkplain Share#waiters waits} until something comes back.
 * Safe for use by any thread.
 */
public final class Quota {
  /** So many sessions find their part free, even where others came long before. */
  private static final int LEAST_MEMBERS = 4;

  private final long limit;
  private final long leastShare;
  private final AtomicLong owned = new AtomicLong();
  private final AtomicLong lent = new AtomicLong();
  private final Set<Share> members = ConcurrentHashMap.newKeySet();
  private final Waiters waiters = new Waiters(this::lendable);
  private volatile long guaranteed;

  /** A session, as one of those that share. Both methods are called by any thread. */
  public interface Holder {
    /** Returns who its peer is, for messages. */
    String peer();

    /** Others want what it has beyond its guaranteed part: gives back what it can spare. */
    void wanted();
  }

  /**
   * All of it free.
   *
   * @param limit how much there is, in all
   * @param leastShare what each session is guaranteed, however many there are
   */
  public Quota(long limit, long leastShare) {
    this.limit = limit;
    this.leastShare = leastShare;
    divide();
  }

  /** Returns how much there is, in all. */
  public long limit() {
    return limit;
  }

  /** Returns how much is taken. */
  public long taken() {
    return owned.get() + lent.get();
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

  /** Returns whether anybody waits for something to be given back. */
  public boolean isAwaited() {
    return !waiters.isEmpty();
  }

  /** Tells those who have more than their guaranteed part that others want it. */
  public void want() {
    for (Share share : members) {
      if (share.isBeyondGuaranteed()) {
        share.holder.wanted();
      }
    }
  }

  /** Returns who has most, and how much, for a message. */
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

  /** What one session has of it. */
  public final class Share {
    private final Holder holder;
    private final AtomicLong own = new AtomicLong();
    private final AtomicLong borrowed = new AtomicLong();

    Share(Holder holder) {
      this.holder = holder;
    }

    /** Returns what it is shared with. */
    public Quota quota() {
      return Quota.this;
    }

    /** Returns those who wait until others give something back. */
    public Waiters waiters() {
      return waiters;
    }

    /** Returns how much of an amount is more than what is free of its guaranteed part. */
    public long beyond(long amount) {
      return amount - unused();
    }

    /** Returns what is missing for an amount that it could not take. */
    public Shortage shortage(long amount) {
      return new Shortage(waiters, () -> beyond(amount));
    }

    /** Returns how much nobody else can have. */
    public long guaranteed() {
      return guaranteed;
    }

    /** Returns how much it has. */
    public long held() {
      return own.get() + borrowed.get();
    }

    /** Returns how much of its guaranteed part is free. */
    public long unused() {
      return Math.max(0, guaranteed - own.get());
    }

    /** Returns whether it could take so much if nobody else had anything. */
    public boolean mayEverTake(long amount) {
      return amount <= guaranteed + mostLent();
    }

    /**
     * Says why it could not take so many bytes, who has them, and what helps.
     *
     * @param setting what would have to be raised
     */
    public String refusal(long bytes, String setting) {
      return mayEverTake(bytes)
          ? "%d bytes found no memory: of %d for all sessions %d are taken, and %s. Try again later"
              .formatted(bytes, limit, taken(), most())
          : "%d bytes are more than the %d that one session may have of %d: raise %s there"
              .formatted(bytes, guaranteed + mostLent(), limit, setting);
    }

    /** Returns whether it has more than is guaranteed to it now. */
    public boolean isBeyondGuaranteed() {
      return held() > guaranteed;
    }

    /** Takes so much, of its guaranteed part first; or nothing, and returns false. */
    public synchronized boolean take(long amount) {
      long within = Math.min(amount, unused());
      long beyond = amount - within;
      if (beyond > 0 && !MemoryBudget.addUpTo(mostLent(), beyond, lent)) {
        return false;
      }
      // What is owned can be too much only where sessions that came before had larger parts.
      if (within > 0 && !MemoryBudget.addUpTo(limit, within, owned)) {
        lent.addAndGet(-beyond);
        return false;
      }
      own.addAndGet(within);
      borrowed.addAndGet(beyond);
      return true;
    }

    /**
     * Takes so much of what is lent out, and of no session's part; or nothing, and returns false.
     */
    public synchronized boolean borrow(long amount) {
      if (!MemoryBudget.addUpTo(mostLent(), amount, lent)) {
        return false;
      }
      borrowed.addAndGet(amount);
      return true;
    }

    /** Takes so much whatever there is: for what exists already, and is bounded otherwise. */
    public synchronized void takeAnyway(long amount) {
      if (!take(amount)) {
        lent.addAndGet(amount);
        borrowed.addAndGet(amount);
      }
    }

    /** Gives so much back, what is borrowed first. */
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

    /** The session is over; what it still has it gives back by and by. */
    public void leave() {
      members.remove(this);
      divide();
      waiters.freed(); // the parts of the others are larger by now
    }
  }
}
