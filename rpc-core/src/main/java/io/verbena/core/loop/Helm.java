package io.verbena.core.loop;

import io.verbena.link.runtime.ThrottledLog;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Says which thread may step an event loop: the loop's own, or a blocking caller that waits for its
 * reply. A caller that steps the loop itself saves two changes of thread.
 *
 * <pre>
 *   OWN ──the last callers came one by one──→ FREE ──a caller waits──→ CALLER
 *    ↑                                        │ │ ↑                      │ │
 *    ├───────────the grace is over────────────┘ │ └────its reply came────┘ │
 *    │                                  a command                          │
 *    │                                          ↓                          │
 *    └─────────its own thread runs────────── RECALLED ←────anything else───┘
 * </pre>
 *
 * <p>While the helm is FREE, nobody steps the loop, and a command recalls the loop's own thread. So
 * nobody is woken for a change on the way of a call: a caller takes the helm only if it is FREE.
 *
 * <p>A caller handles only its own call, what its peers send meanwhile, and the frames that follow.
 * Before each cycle it {@linkplain EventLoop#mayBeSteppedByCallers asks} whether there is anything
 * else to do, such as a command or a timer, and leaves that to the loop's own thread. So it never
 * runs code of others, which could enter a lock again that the caller holds.
 *
 * <p>Callers are refused whose stack is deep; virtual threads whose wait would cost too much, that
 * would hold more than half of their carriers; and virtual threads by turns, because one that holds
 * its carrier keeps others from making their calls, and would find itself alone.
 */
public final class Helm {
  private static final ThrottledLog HELD_UP =
      ThrottledLog.of(Helm.class, "event loops whose stepping callers stood still");

  /** For at least this long after a call, its loop waits for the caller's next one. */
  private static final long LEAST_GRACE_NANOS = 1_000_000;

  /** Peers' frames and timers may be late by as much while no call is in flight. */
  private static final long MOST_GRACE_NANOS = 20_000_000;

  /** The grace is so many times the recent gap between calls. */
  private static final int GAPS_OF_GRACE = 4;

  /** Each gap has a weight of an eighth. */
  private static final int GAP_WEIGHT_SHIFT = 3;

  /** So many calls in a row must come one by one before callers may step the loop. */
  private static final int ALONE = 8;

  /** After a caller that stepped in vain, so many more; doubled with each such caller in a row. */
  private static final int LATER = 8;

  private static final int MOST_DOUBLINGS = 6;

  /**
   * With better links, whose replies come within microseconds, a caller spins for this long before
   * it waits in the kernel.
   */
  private static final long SPIN_NANOS = 10_000;

  /** After so many callers in a row that spun in vain, one in {@link #TRIES_EVERY} tries. */
  private static final int MOST_IN_VAIN = 8;

  private static final int TRIES_EVERY = 64;

  /** A later reply costs little more if the loop's own thread receives it. */
  private static final long LONGEST_NANOS = 5_000_000;

  /** A virtual thread keeps others from its carrier. */
  private static final long LONGEST_VIRTUAL_NANOS = 300_000;

  /** A virtual thread that makes calls one after the other lets others run this often. */
  private static final long YIELD_NANOS = 500_000;

  private static final long HELD_UP_NANOS = 1_000_000_000;

  private static final int OWN = 0;
  private static final int FREE = 1;
  private static final int CALLER = 2;
  private static final int RECALLED = 3;

  private final EventLoop loop;
  private final Sleep sleep;
  private final Carriers carriers;
  private final AtomicInteger state = new AtomicInteger(OWN);

  /** When the helm became free. */
  private volatile long freeSince;

  /** How long it may stay so. */
  private volatile long graceNanos = LEAST_GRACE_NANOS;

  /** The recent gap between the end of a call and the next one. */
  private long gap;

  /** Since when no call has been in flight. */
  private long noneSince;

  /** Whether blocking callers found the helm taken since the loop's own thread last looked. */
  private volatile boolean missed;

  /** Whether a blocking caller has ever come. Before, nobody needs to know the gaps. */
  private volatile boolean wanted;

  /** The id of the virtual thread of the last blocking call; 0 after a platform thread's. */
  private volatile long lastVirtual;

  /** Whether virtual threads came by turns since the loop's own thread last looked. */
  private volatile boolean byTurns;

  /** The calls in a row that came one by one. */
  private int alone;

  /** The callers in a row that stepped in vain. */
  private int vain;

  /** The callers in a row whose replies came after they had spun. */
  private int spunInVain;

  /** The callers that did not spin since one tried. */
  private int unspun;

  /** A reply whose caller is told once the helm is free. */
  private @Nullable Command last;

  /** The calls that ended while their callers stepped. */
  private final AtomicInteger stepped = new AtomicInteger();

  /** Grows with each cycle of a caller. */
  private final AtomicInteger cycles = new AtomicInteger();

  /** Since when a virtual thread has had its carrier. */
  private long carriedSince;

  /** Whether the stack of a caller has overflowed in the loop's code, in spite of the reserve. */
  private volatile boolean broken;

  /** How threads wait: the loop's own while callers may step the loop, and callers that spin. */
  public interface Sleep {
    /** Returns when it is {@linkplain #end ended}, or the time is over, or for no reason. */
    void begin(long nanos);

    /** Ends the sleep, or the next one. Safe for use by any thread. */
    void end();

    /** Lets a moment pass before a caller looks again. */
    default void spin() {
      Thread.onSpinWait();
    }
  }

  /**
   * Makes a helm that the loop's own thread has.
   *
   * @param sleep of that thread
   */
  public Helm(EventLoop loop, Sleep sleep) {
    this(loop, sleep, Carriers.OF_PROCESS);
  }

  /** Makes the helm of a loop whose callers have carriers of their own, for simulated processes. */
  public Helm(EventLoop loop, Sleep sleep, Carriers carriers) {
    this.loop = loop;
    this.sleep = sleep;
    this.carriers = carriers;
  }

  // ---- the loop's own thread ----

  /**
   * Lets callers step the loop if they came one by one, and returns when this thread must step it
   * again. Call it after each cycle.
   */
  public void afterCycle() {
    if (missed && isLeftToCallers()) {
      letGo();
    } else {
      tellLast();
    }
  }

  private boolean isLeftToCallers() {
    if (loop.callsInFlight() > 1 || byTurns) {
      alone = 0;
      missed = false;
      byTurns = false;
      return false;
    }
    if (loop.callsInFlight() > 0 || !loop.isAtRest()) {
      return false;
    }
    alone = Math.min(alone + 1, ALONE + 1);
    if (loop.hasCommands()) {
      return false; // the next call came before this thread could let go
    }
    missed = false;
    return alone > ALONE
        && !broken
        && loop.isOnlyForBlockingCalls()
        && loop.mayBeSteppedByCallers();
  }

  /**
   * Keeps a reply until the helm is free. Its caller may otherwise be awake before this thread has
   * let go, and find the helm taken for its next call, again and again.
   *
   * @return false if the reply must be told now
   */
  boolean keeps() {
    return missed
        && alone >= ALONE
        && last == null
        && loop.callsInFlight() == 0
        && state.get() == OWN;
  }

  void keep(Command reply) {
    last = reply;
  }

  /** A call has begun while none was in flight. On the loop. */
  void callBegan() {
    if (!wanted) {
      return;
    }
    long nanos = Math.min(loop.now() - noneSince, MOST_GRACE_NANOS);
    gap += (nanos - gap) >> GAP_WEIGHT_SHIFT;
    graceNanos = Math.clamp(GAPS_OF_GRACE * gap, LEAST_GRACE_NANOS, MOST_GRACE_NANOS);
  }

  /** No call is in flight any more. On the loop. */
  void callsEnded() {
    if (!wanted) {
      return;
    }
    noneSince = loop.now();
  }

  private void tellLast() {
    Command reply = last;
    if (reply != null) {
      last = null;
      EventLoop.run(reply);
    }
  }

  private void letGo() {
    int before = stepped.get();
    freeSince = loop.clock().nanoTime();
    loop.letGo();
    state.set(FREE);
    loop.recallIfAsked();
    tellLast();
    boolean slept = false;
    int cycle = cycles.get();
    long cycleSince = freeSince;
    while (!takesBack()) {
      try {
        slept = true;
        sleep.begin(state.get() == CALLER ? HELD_UP_NANOS : graceNanos);
        long now = loop.clock().nanoTime();
        if (state.get() != CALLER || cycle != cycles.get()) {
          cycle = cycles.get();
          cycleSince = now;
        } else if (now - cycleSince > HELD_UP_NANOS) {
          cycleSince = now;
          heldUp();
        }
      } catch (VirtualMachineError | LinkageError | RuntimeException e) {
        // The JVM itself may need memory. This thread must not go on without the helm.
      }
    }
    loop.takeOver();
    if (slept && stepped.get() == before) {
      alone = -LATER; // the next caller came too late, or another command first
    }
  }

  private boolean takesBack() {
    if (state.get() == RECALLED) {
      return state.compareAndSet(RECALLED, OWN);
    }
    boolean over = loop.isStopping() || loop.clock().nanoTime() - freeSince - graceNanos >= 0;
    return over && state.compareAndSet(FREE, OWN);
  }

  private void heldUp() {
    Thread caller = loop.owner();
    if (caller == null) {
      return;
    }
    Throwable where = new Throwable("its stack");
    where.setStackTrace(caller.getStackTrace());
    HELD_UP.warn(
        "The event loop {} stands still: the thread \"{}\" steps it while it waits for the reply to"
            + " a call, and has not run for a second. Is it suspended, or short of processors?",
        loop.roleName(),
        caller.getName(),
        where);
  }

  /**
   * Recalls the loop's own thread if nobody steps the loop. Safe for use by any thread.
   *
   * @return false if a thread has the helm, and must be woken
   */
  boolean recall() {
    if (state.compareAndSet(FREE, RECALLED)) {
      sleep.end();
      return true;
    }
    return state.get() == RECALLED;
  }

  /**
   * Returns the number of calls that ended while their callers stepped the loop. For any thread.
   */
  public int stepped() {
    return stepped.get();
  }

  // ---- callers ----

  /**
   * Runs a command on the loop, and steps the loop until a future is done, as long as no other
   * thread needs to.
   *
   * @return false if the loop's own thread must run the command
   */
  boolean drive(Command first, Future<?> until) {
    Thread me = Thread.currentThread();
    boolean virtual = me.isVirtual();
    if (virtual && !loop.suitsVirtualThreads()) {
      return false;
    }
    if (!wanted) {
      wanted = true;
    }
    if (state.get() != FREE || broken || !mayDrive(me, virtual)) {
      missed = true;
      return false;
    }
    if (virtual && !carriers.hold()) {
      missed = true;
      return false;
    }
    boolean yield = false;
    try {
      if (!StackReserve.isThere()) {
        missed = true;
        return false;
      }
      boolean ran =
          ScopedValue.where(EventLoop.STEPPED, loop).call(() -> steer(first, until, virtual));
      yield = virtual && loop.clock().nanoTime() - carriedSince > YIELD_NANOS;
      return ran;
    } finally {
      if (virtual) {
        carriers.letGo();
        if (yield) {
          letOthersRun();
        }
      }
    }
  }

  @SuppressWarnings("ThreadPriorityCheck") // virtual threads are not preempted
  private void letOthersRun() {
    Thread.yield();
    carriedSince = loop.clock().nanoTime();
  }

  private boolean mayDrive(Thread me, boolean virtual) {
    if (!virtual) {
      lastVirtual = 0;
      return !me.isInterrupted();
    }
    long id = me.threadId();
    long before = lastVirtual;
    if (before != id) {
      lastVirtual = id;
      byTurns |= before != 0;
      return false;
    }
    return !me.isInterrupted();
  }

  /** Returns whether it has run the command. */
  private boolean steer(Command first, Future<?> until, boolean virtual) {
    if (!state.compareAndSet(FREE, CALLER)) {
      missed = true;
      return false;
    }
    boolean ran = false;
    boolean kept = false;
    try {
      loop.takeOver();
      if (loop.mayBeSteppedByCallers()) { // a command of before goes first
        ran = true;
        loop.begin(first);
        kept = step(until, virtual) && loop.isAtRest() && loop.callsInFlight() == 0;
      }
    } catch (StackOverflowError e) {
      broken = true;
      EventLoop.failed("A cycle on the stack of a caller", e);
    } catch (Throwable e) {
      EventLoop.failed("A cycle of a caller", e);
    } finally {
      release(kept);
    }
    return ran;
  }

  /** Steps until the future is done; returns false if it must stop before. */
  private boolean step(Future<?> until, boolean virtual) {
    long began = loop.now();
    long spinUntil = began + (spins() ? SPIN_NANOS : 0);
    boolean spun = false;
    long end = spinUntil + (virtual ? LONGEST_VIRTUAL_NANOS : LONGEST_NANOS);
    while (!until.isDone()) {
      if (!loop.mayBeSteppedByCallers()
          || loop.callsInFlight() > 1
          || Thread.currentThread().isInterrupted()) {
        return false;
      }
      cycles.setPlain(cycles.getPlain() + 1);
      long now = loop.now();
      if (now - spinUntil < 0) {
        spun = true;
        if (loop.cycleOfCaller(0) == 0) {
          sleep.spin();
        }
      } else if (now - end < 0) {
        if (spun) {
          spun = false;
          spunInVain++;
        }
        int _ = loop.cycleOfCaller(end - now);
      } else {
        vain = Math.min(vain + 1, MOST_DOUBLINGS);
        alone = -(LATER << vain);
        return false;
      }
    }
    vain = 0;
    if (spun) {
      spunInVain = 0;
    }
    return true;
  }

  /** Returns whether the next caller spins. It does so as long as spinning has paid lately. */
  private boolean spins() {
    if (!carriers.letSpin() || !loop.hasUpgradedLinks()) {
      return false;
    }
    if (spunInVain < MOST_IN_VAIN) {
      return true;
    }
    unspun = (unspun + 1) % TRIES_EVERY;
    return unspun == 0;
  }

  /** Allocates nothing: without memory, the helm would be lost. */
  private void release(boolean kept) {
    if (kept) {
      stepped.setPlain(stepped.getPlain() + 1);
    }
    boolean goesOn = kept && !loop.isStopping();
    freeSince = loop.now();
    loop.letGo();
    state.set(goesOn ? FREE : RECALLED);
    if (goesOn) {
      loop.recallIfAsked();
    } else {
      sleep.end();
    }
  }
}
