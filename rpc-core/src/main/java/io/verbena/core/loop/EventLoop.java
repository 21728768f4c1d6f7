package io.verbena.core.loop;

import io.verbena.api.CallContext;
import io.verbena.api.stub.CallScope;
import io.verbena.core.upgrade.ProviderCalls;
import io.verbena.link.LinkDriver;
import io.verbena.link.LinkException;
import io.verbena.link.LinkProvider;
import io.verbena.link.UpgradeDriver;
import io.verbena.link.UpgradeProvider;
import io.verbena.link.runtime.NanoClock;
import io.verbena.link.runtime.OwnThreads;
import io.verbena.link.runtime.ThrottledLog;
import java.lang.ref.Cleaner;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jctools.queues.atomic.MpscUnboundedAtomicArrayQueue;
import org.jspecify.annotations.Nullable;

/**
 * Steps everything that one thread owns: commands from other threads, links, timers. It is stepped
 * by a {@link LoopThread} in a program, and by the test itself in a test.
 *
 * <p>{@link #execute} is safe for any thread; all else is for the thread that steps the loop.
 *
 * <p>It is long, since the order of what a cycle does is one decision, and every wait and wake-up
 * depends on it.
 */
public final class EventLoop {
  private static final ThrottledLog FAILED =
      ThrottledLog.of(EventLoop.class, "failures on event loops");
  private static final ThrottledLog THREW =
      ThrottledLog.of(EventLoop.class, "callbacks that threw");
  private static final long AGAIN_NANOS = 100_000_000;
  private static final int COMMANDS_PER_CYCLE = 1024;
  private static final int QUEUE_CHUNK = 1024;

  /** Stands where a command was that has run, and is to be free. */
  private static final Command NOTHING = EventLoop::nothing;

  private static final long BETWEEN_TRIES_NANOS = 1_000_000;
  private static final int MOST_TRIES = 10_000;

  static {
    // The JVM looks up what catches name when it first needs them, and may have no memory then.
    Object _ = List.of(Throwable.class, OutOfMemoryError.class);
  }

  private final String name;
  private final NanoClock clock;
  private final Timers timers;
  private final MpscUnboundedAtomicArrayQueue<Command> commands =
      new MpscUnboundedAtomicArrayQueue<>(QUEUE_CHUNK);

  /**
   * Commands may wait: said behind each. To ask the queue itself costs an empty cycle a quarter.
   */
  private final AtomicBoolean handedOver = new AtomicBoolean();

  private final AtomicBoolean waiting = new AtomicBoolean();
  private final LinkDriver driver;
  private final SplittableRandom random;
  private final CallScope callScope = new CallScope(null);

  /** What runs at the end of this cycle, in its order, and how much that is. */
  private Command[] cycleEnd = new Command[QUEUE_CHUNK];

  private int dueAtEnd;

  /** What ran at the end of the last one; null while it runs. */
  private Command @Nullable [] cycleEndBefore = new Command[QUEUE_CHUNK];

  private volatile @Nullable Thread owner = Thread.currentThread();
  private volatile boolean stopping;
  private @Nullable Cleaner cleaner;

  /** What steps links that sessions have upgraded to, in the order in which it was made. */
  private @Nullable Upgrades firstUpgrades;

  private boolean inCycle;
  private boolean firstLinksBusy;

  /** The wait before this cycle has ended with something done, so that links were looked after. */
  private boolean metWork;

  private long firstLinksPolled;
  private long firstLinksEveryNanos;
  private volatile boolean closed;
  private long now;

  /** Something was done, or waited for, since the clock was read. */
  private boolean stale;

  /**
   * A loop for links of one kind.
   *
   * @param name for threads and logs
   * @param clock the only clock that the loop and what it owns look at
   */
  public EventLoop(String name, NanoClock clock, LinkProvider links) {
    this.name = name;
    this.clock = clock;
    this.now = clock.nanoTime();
    this.random = new SplittableRandom(now ^ name.hashCode());
    this.firstLinksPolled = now;
    this.timers = new Timers(now);
    this.driver = links.newDriver(this::wakeup);
  }

  /**
   * Has the loop run a command, in the order of handing over. Safe for any thread. After the loop
   * has closed, the calling thread runs it: what the loop owned has ended and only says so, but
   * nobody shall wait for an answer in vain.
   *
   * <p>Where so many commands wait that the queue needs memory, and there is none, the calling
   * thread waits until the loop has run one of them, for 10 s at most. That is not for a loop's own
   * thread, whose command is run at the end of its cycle.
   *
   * @throws OutOfMemoryError where that does not help; the command is not run
   */
  public void execute(Command command) {
    offer(command);
    if (closed) {
      runLate();
    } else if (waiting.get()) {
      wakeup();
    }
  }

  /**
   * Has a task run that must not be left out: by an executor, or by another where that takes
   * nothing, or a little later where neither does. What it throws is logged.
   */
  public void runSurely(Executor first, Executor otherwise, Runnable task) {
    Runnable guarded =
        () -> {
          try {
            task.run();
          } catch (Throwable e) { // users' code
            THREW.warn("A {} threw", "callback", e);
          }
        };
    Consumer<Runnable> later =
        again -> execute(() -> timers.schedule(now() + AGAIN_NANOS, due -> again.run()));
    OwnThreads.hand(
        first, guarded, refused -> OwnThreads.persistently(otherwise, guarded, why -> {}, later));
  }

  private void offer(Command command) {
    for (int tries = 0; ; tries++) {
      try {
        commands.offer(command);
        handedOver.setRelease(true);
        return;
      } catch (OutOfMemoryError e) {
        if (tries == MOST_TRIES) {
          throw e;
        }
      }
      try {
        if (isOwner()) {
          atCycleEnd(command);
          return;
        }
        LockSupport.parkNanos(this, BETWEEN_TRIES_NANOS);
      } catch (OutOfMemoryError e) {
        // The JVM itself may need memory where it does something for the first time.
      }
    }
  }

  /**
   * Has {@link #whenUnreachable} do something. To be called before the loop is stepped; not of one
   * whose every run is to be the same, since nobody knows when the collector runs.
   */
  public void cleaner(Cleaner cleaner) {
    this.cleaner = cleaner;
  }

  /**
   * Runs an action once an object cannot be reached any more, on another thread, if the loop has a
   * {@linkplain #cleaner cleaner}. Safe for use by any thread.
   *
   * @param action must not refer to the object
   */
  public void whenUnreachable(Object object, Runnable action) {
    Cleaner watching = cleaner;
    if (watching != null) {
      Cleaner.Cleanable _ = watching.register(object, action);
    }
  }

  /** Returns chance for delays: others on other machines, the same in a stepped world. */
  public RandomGenerator random() {
    return random;
  }

  /** Returns it as what runs tasks, by {@link #execute}. Safe for use by any thread. */
  public Executor executor() {
    return task -> execute(task::run);
  }

  private synchronized void runLate() {
    Thread before = owner;
    adopt();
    try {
      runAll();
    } finally {
      owner = before;
    }
  }

  private void runAll() {
    int done;
    do {
      done = drainCommands() + runCycleEnd();
    } while (done > 0);
  }

  private void wakeup() {
    if (waiting.compareAndSet(true, false)) {
      driver.wakeup();
    }
  }

  /**
   * Runs a command at the end of this duty cycle; what is sent in one cycle is flushed together.
   */
  public void atCycleEnd(Command command) {
    if (dueAtEnd == cycleEnd.length) {
      cycleEnd = Arrays.copyOf(cycleEnd, 2 * dueAtEnd);
    }
    cycleEnd[dueAtEnd] = command;
    dueAtEnd++;
  }

  /** Returns whether the calling thread is the one that steps this loop. Safe for any thread. */
  public boolean isOwner() {
    return Thread.currentThread() == owner;
  }

  /**
   * Returns whether the calling thread steps this loop, or is any other loop's: others' sessions
   * would stand still while it waits. Safe for any thread.
   */
  public boolean isNotToWait() {
    return isOwner() || isLoopThread();
  }

  /** Returns whether the calling thread is one that was made to step a loop. */
  public static boolean isLoopThread() {
    return Thread.currentThread() instanceof LoopThread.OfLoop;
  }

  /** Returns whether the calling thread is in a duty cycle of this loop. Safe for any thread. */
  public boolean isInCycle() {
    return isOwner() && inCycle;
  }

  /** Makes the calling thread the one that steps this loop from now on. */
  public void adopt() {
    owner = Thread.currentThread();
  }

  /** Belongs to no thread until one adopts it: the calling thread steps it no more. */
  public void disown() {
    owner = null;
  }

  /**
   * Returns the time, as of the beginning of what the loop is at: no older than the commands,
   * frames and timers that it handles now. The clock is read when it is asked for, once for each
   * batch of these.
   */
  public long now() {
    if (stale) {
      stale = false;
      now = clock.nanoTime();
    }
    return now;
  }

  /** Returns the loop's clock, for other threads to compute deadlines by. Safe for any thread. */
  public NanoClock clock() {
    return clock;
  }

  /** Returns the loop's timers. */
  public Timers timers() {
    return timers;
  }

  /** Returns what steps this loop's links. */
  public LinkDriver driver() {
    return driver;
  }

  /**
   * Returns what steps this loop's links of a kind that sessions upgrade to; made when first asked.
   *
   * @throws LinkException if it cannot be made, or the loop is closing
   */
  public UpgradeDriver upgradeDriver(UpgradeProvider provider) throws LinkException {
    if (stopping) {
      throw new LinkException("the event loop is closing", null);
    }
    Upgrades last = null;
    for (Upgrades one = firstUpgrades; one != null; one = one.next) {
      if (one.provider.equals(provider)) {
        return one.driver(this::wakeup);
      }
      last = one;
    }
    Upgrades added = new Upgrades(provider, this::goOn);
    if (last == null) {
      firstUpgrades = added;
    } else {
      last.next = added;
    }
    return added.driver(this::wakeup);
  }

  /** Returns what such a driver threw, while all its links end for that; else null. */
  public @Nullable String breakingUpgrades() {
    for (Upgrades one = firstUpgrades; one != null; one = one.next) {
      if (one.breaking != null) {
        return one.breaking;
      }
    }
    return null;
  }

  /** Returns the scope in which handlers on the loop find their call. */
  public CallScope callScope() {
    return callScope;
  }

  /**
   * Has the handler of a call find the call in the loop's scope, until {@link #leave}.
   *
   * @return false where this thread has not bound the scope, as a loop's own has for its life: it
   *     steps the loop by hand, and {@linkplain #handle runs} the handler
   */
  public boolean enter(CallContext call) {
    callScope.set(call);
    return isLoopThread() || (CallScope.CURRENT.isBound() && CallScope.CURRENT.get() == callScope);
  }

  /** The handler that runs on the loop has ended. */
  public void leave() {
    callScope.set(null);
    if (isLoopThread()) {
      Thread.interrupted(); // the mark would have the loop's sockets closed
    }
  }

  /** Runs the handler of a call that has been {@linkplain #enter entered}. */
  public void handle(Runnable handler) {
    ScopedValue.where(CallScope.CURRENT, callScope).run(handler);
  }

  /** Runs one duty cycle: returns how much was done. Waits for nothing. */
  public int doWork() {
    stale = true;
    inCycle = true;
    try {
      return drainCommands() + pollFirstLinks() + doTheRest();
    } finally {
      inCycle = false;
    }
  }

  /**
   * Runs one duty cycle that begins by waiting until there is something to do, or the next timer is
   * due, or the time has passed. Returns how much was done.
   */
  int doWork(long waitNanos) {
    return endWait(beginWait(waitNanos));
  }

  /**
   * Begins a duty cycle with the first half of a wait, for whoever steps the loop by hand: from now
   * on whatever there is to do wakes the driver. Time passes, and other loops are stepped, before
   * {@link #endWait}.
   *
   * @return how long to wait, in nanoseconds, unless the driver is woken or ready before; 0 or less
   *     where there is something to do already
   */
  public long beginWait(long atMostNanos) {
    stale = true;
    inCycle = true;
    try {
      waiting.set(true);
      // A command handed over before the flag was set has woken nobody: look once more.
      if (!commands.isEmpty()) {
        handedOver.set(true); // whoever handed it over may have come no further yet
        return 0;
      }
      boolean idle = dueAtEnd == 0 && !stopping && armUpgrades();
      return idle ? timers.nanosToNext(now(), atMostNanos) : 0;
    } finally {
      inCycle = false;
    }
  }

  /**
   * The second half of a wait, and the rest of its duty cycle: waits in the driver, which may do
   * there what becomes ready. So answers to that leave before the driver looks for more.
   *
   * @param nanos what {@link #beginWait} returned
   * @return how much was done
   */
  public int endWait(long nanos) {
    stale = true; // by when the driver does something
    inCycle = true;
    try {
      return await(nanos) + drainCommands() + doTheRest();
    } finally {
      inCycle = false;
    }
  }

  private int await(long nanos) {
    try {
      int work = nanos > 0 ? firstLinks(driver.await(nanos)) : 0;
      metWork = work > 0;
      return work;
    } catch (Throwable e) {
      stale = true;
      return failed("Waiting for links", e);
    } finally {
      waiting.set(false);
    }
  }

  private boolean armUpgrades() {
    for (Upgrades one = firstUpgrades; one != null; one = one.next) {
      if (!one.arm(now())) {
        return false;
      }
    }
    return true;
  }

  private int doTheRest() {
    int upgraded = 0;
    for (Upgrades one = firstUpgrades; one != null; one = one.next) {
      upgraded += one.poll(now());
    }
    stale |= upgraded > 0; // what was done took its time, here as elsewhere
    int expired = timers.areDue(now()) ? timers.poll(now()) : 0;
    stale |= expired > 0;
    return upgraded + expired + runCycleEnd();
  }

  /** Looks after the links, unless that was just done: what is ready by now ends the next wait. */
  private int pollFirstLinks() {
    if (metWork) {
      metWork = false;
      return 0;
    }
    long since = now() - firstLinksPolled;
    if (!firstLinksBusy && since < firstLinksEveryNanos && hasUpgradedLinks()) {
      return 0;
    }
    try {
      return firstLinks(driver.poll());
    } catch (Throwable e) {
      stale = true;
      return failed("Looking after links", e);
    }
  }

  private int firstLinks(int work) {
    firstLinksPolled = now();
    firstLinksBusy = work > 0;
    stale |= firstLinksBusy;
    return work;
  }

  /** Returns whether there are links that sessions have upgraded to. */
  boolean hasUpgradedLinks() {
    for (Upgrades one = firstUpgrades; one != null; one = one.next) {
      if (one.isInUse()) {
        return true;
      }
    }
    return false;
  }

  /**
   * Where sessions have upgraded, has the links they began on looked at only so often, unless there
   * was something the last time: such a look is a system call, and a cycle without it much shorter.
   * Not for loops that are stepped by hand, whose clock may stand still.
   */
  void pollFirstLinksEvery(long nanos) {
    firstLinksEveryNanos = nanos;
  }

  private int drainCommands() {
    if (!handedOver.get()) {
      return 0;
    }
    handedOver.set(false); // before the queue is looked through: what comes later says so anew
    int done = 0;
    Command command;
    while (done < COMMANDS_PER_CYCLE && (command = commands.poll()) != null) {
      run(command);
      done++;
    }
    if (done == COMMANDS_PER_CYCLE) {
      handedOver.set(true);
    }
    stale |= done > 0;
    return done;
  }

  private int runCycleEnd() {
    int due = dueAtEnd;
    Command[] running = cycleEnd;
    Command[] next = cycleEndBefore;
    if (due == 0) {
      return 0;
    }
    cycleEnd = next == null ? new Command[QUEUE_CHUNK] : next; // what they add waits for a cycle
    cycleEndBefore = null;
    dueAtEnd = 0;
    for (int i = 0; i < due; i++) {
      Command command = running[i];
      running[i] = NOTHING; // few each time: filling the array at the end would take longer
      run(command);
    }
    cycleEndBefore = running;
    return due;
  }

  private static void nothing() {}

  private static void run(Command command) {
    try {
      command.run();
    } catch (Throwable e) {
      failed("A command", e);
    }
  }

  /**
   * Nothing ends a loop, not even an error of the virtual machine: others' sessions are on it. What
   * failed is over, and who was to hear of it hears by its time-out at the latest.
   *
   * @return that something was done
   */
  static int failed(String what, Throwable failure) {
    try {
      FAILED.error("{} failed on the event loop; the loop goes on", what, failure);
    } catch (Throwable untold) {
      // There is no memory to tell of it either: it is counted, and the next one that is told says
      // so.
    }
    return 1;
  }

  /** Has the loop wait no more, so that its thread sees at once that it shall end. */
  void stopWaiting() {
    stopping = true;
    wakeup();
  }

  /**
   * Closes the loop's links and runs the commands that wait; the loop is of no use after it. That
   * takes seconds where peers do not answer: until then commands and timers run as ever.
   */
  public void onClose() {
    stopping = true;
    run(this::runAll);
    for (Upgrades one = firstUpgrades; one != null; one = one.next) {
      run(one::close);
    }
    run(driver::close);
    closed = true;
    runLate();
  }

  /** Runs commands and timers while a driver of better links waits for its links to end. */
  private void goOn() {
    stale = true;
    drainCommands();
    timers.poll(now());
    runCycleEnd();
  }

  /** Returns the loop's name, for its thread. */
  public String roleName() {
    return name;
  }

  /**
   * What steps better links of one kind, while there is a driver of theirs. One that throws when it
   * is stepped is closed with all its links; the next attempt makes another.
   */
  private static final class Upgrades {
    private final UpgradeProvider provider;
    private final Runnable meanwhile;
    private @Nullable Upgrades next;
    private @Nullable UpgradeDriver driver;
    private @Nullable String breaking;

    Upgrades(UpgradeProvider provider, Runnable meanwhile) {
      this.provider = provider;
      this.meanwhile = meanwhile;
    }

    UpgradeDriver driver(Runnable wakeLoop) throws LinkException {
      UpgradeDriver made = driver;
      if (made == null) {
        made = ProviderCalls.ask("newDriver()", () -> provider.newDriver(wakeLoop));
        driver = made;
      }
      return made;
    }

    int poll(long now) {
      UpgradeDriver stepped = driver;
      if (stepped == null) {
        return 0;
      }
      try {
        return stepped.poll(now);
      } catch (Throwable thrown) {
        breaks("poll()", thrown);
        return 1;
      }
    }

    boolean isInUse() {
      try {
        return driver != null && driver.isInUse();
      } catch (Throwable thrown) {
        breaks("isInUse()", thrown);
        return false;
      }
    }

    boolean arm(long now) {
      try {
        return driver == null || driver.armWakeup(now);
      } catch (Throwable thrown) {
        breaks("armWakeup()", thrown);
        return false; // what the links' ends have brought about is to be done first
      }
    }

    private void breaks(String method, Throwable thrown) {
      breaking = ProviderCalls.failure(method, thrown).getMessage();
      close();
      breaking = null;
    }

    void close() {
      UpgradeDriver closing = driver;
      driver = null;
      if (closing != null) {
        try {
          closing.close(meanwhile);
        } catch (Throwable thrown) {
          ProviderCalls.failure("close()", thrown);
        }
      }
    }
  }
}
