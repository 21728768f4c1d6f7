package io.verbena.link.memory;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;

/**
 * The waiters for a shared resource, such as bytes, registrations or permits. A release notifies
 * waiters in the order of arrival, each on its own loop, as many as the free amount can serve.
 *
 * <pre>
 *   place ── join ─→ waits ── freed, and it fits ─→ notified: tries on its loop ─→ leaves, or waits
 *                      ↑                                                              │ in its place
 *                      └──────────────────────────────────────────────────────────────┘
 * </pre>
 *
 * <p>Nothing is reserved for a waiter, so a newcomer may take the amount first. A waiter whose own
 * share is enough is notified at once. Safe for use by any thread.
 */
public final class Waiters {
  private final LongSupplier free;
  private final Set<Place> waiting = new LinkedHashSet<>();
  private volatile boolean any;

  /**
   * Starts without waiters.
   *
   * @param free returns the amount that is free now; any thread may call it
   */
  public Waiters(LongSupplier free) {
    this.free = free;
  }

  /**
   * Returns a place for a possible waiter, which does not wait yet.
   *
   * @param loop runs its notifications
   * @param look tries again to take the resource
   */
  public Place place(Executor loop, Runnable look) {
    return new Place(loop, look);
  }

  /** Returns whether there are no waiters. */
  public boolean isEmpty() {
    return !any;
  }

  /**
   * Notifies as many waiters as the free amount can serve, after a release or a change of shares.
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

  /**
   * The place of a possible waiter. Its methods are meant for its loop, but any thread may call
   * them.
   */
  public final class Place {
    private final Executor loop;
    private final Runnable look;
    private LongSupplier needs = () -> 0;
    private boolean told;

    private Place(Executor loop, Runnable look) {
      this.loop = loop;
      this.look = look;
    }

    /** Returns the waiters that it belongs to. */
    public Waiters waiters() {
      return Waiters.this;
    }

    /**
     * Starts to wait after all others, or keeps its position if it waits already. A new waiter
     * tries once more, because an earlier release did not notify it.
     *
     * @param needs returns the amount that it needs; any thread may call it
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
      loop.execute(this::look);
    }

    private void look() {
      synchronized (Waiters.this) {
        if (!told) {
          return; // it left meanwhile
        }
        told = false;
      }
      look.run();
    }

    /** Stops waiting. A notification that it has not used goes to other waiters. */
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
