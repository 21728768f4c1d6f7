package io.verbena.link.memory;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;

/**
 * Those who wait until others give back what all of them share: bytes, registrations, places. When
 * something is given back, those who can go on by it are told, the one that has waited for longest
 * first, each on its own loop.
 *
 * <pre>
 *   place ── join ─→ waits ── freed, and it fits ─→ told: looks, on its loop ─→ leaves, or waits on
 *                      ↑                                                            │ where it was
 *                      └────────────────────────────────────────────────────────────┘
 * </pre>
 *
 * <p>Nothing is set aside for them: who comes just then may take it before. Who needs nothing of
 * what others have, but has enough in its own part, is told whatever others need. Safe for use by
 * any thread.
 */
public final class Waiters {
  private final LongSupplier free;
  private final Set<Place> waiting = new LinkedHashSet<>();
  private volatile boolean any;

  /**
   * None wait.
   *
   * @param free how much could be taken now; asked by any thread
   */
  public Waiters(LongSupplier free) {
    this.free = free;
  }

  /**
   * Returns a place for somebody who may have to wait; waits not yet.
   *
   * @param loop runs what it is told
   * @param look tries again what was in vain
   */
  public Place place(Executor loop, Runnable look) {
    return new Place(loop, look);
  }

  /** Returns whether nobody waits. */
  public boolean isEmpty() {
    return !any;
  }

  /**
   * Something was given back, or shared out anew: tells as many of those who wait as it is enough
   * for.
   */
  public void freed() {
    if (any) {
      whoGoOn().forEach(Place::tell);
    }
  }

  private synchronized List<Place> whoGoOn() {
    long left = free.getAsLong();
    List<Place> goOn = new ArrayList<>();
    for (Place place : waiting) {
      long needs = Math.max(0, place.needs.getAsLong());
      if (needs == 0 || needs <= left) {
        left -= needs;
        if (!place.told) {
          place.told = true;
          goOn.add(place);
        }
      }
    }
    return goOn;
  }

  /** Where somebody stands who may wait. Its methods are for its loop, but may be called by any. */
  public final class Place {
    private final Executor loop;
    private final Runnable look;
    private LongSupplier needs = () -> 0;
    private boolean told;

    private Place(Executor loop, Runnable look) {
      this.loop = loop;
      this.look = look;
    }

    /** Returns where it is. */
    public Waiters waiters() {
      return Waiters.this;
    }

    /**
     * Waits from now on, behind all others, or where it waited before. Who has come looks once
     * more: what was given back before has told it nothing.
     *
     * @param needs how much of what is free it needs; asked by any thread
     */
    public void join(LongSupplier needs) {
      boolean came;
      synchronized (Waiters.this) {
        this.needs = needs;
        came = waiting.add(this);
        told |= came;
        any = true;
      }
      if (came) {
        tell();
      }
    }

    private void tell() {
      loop.execute(this::looks);
    }

    private void looks() {
      synchronized (Waiters.this) {
        if (!told) {
          return; // it left meanwhile
        }
        told = false;
      }
      look.run();
    }

    /** Waits no more. What it was told of and did not look at is for others. */
    public void leave() {
      boolean unheard;
      synchronized (Waiters.this) {
        unheard = waiting.remove(this) && told;
        told = false;
        any = !waiting.isEmpty();
      }
      if (unheard) {
        freed();
      }
    }
  }
}
