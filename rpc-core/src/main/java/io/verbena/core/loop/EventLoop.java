package io.verbena.core.loop;

import io.verbena.api.CallContext;
import io.verbena.api.stub.CallScope;
import io.verbena.core.upgrade.ProviderCalls;
import io.verbena.link.LinkDriver;
import io.verbena.link.LinkException;
import io.verbena.link.LinkProvider;
import io.verbena.link.LocalSockets;
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
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.agrona.collections.ArrayUtil;
import org.jctools.queues.atomic.MpscUnboundedAtomicArrayQueue;
import org.jspecify.annotations.Nullable;

/**
 * Steps everything that one thread owns: commands from other threads, links and timers. In a
 * program a {@link LoopThread} steps it, or a blocking caller that has its {@link Helm}; in a test
 * the test itself.
 *
 * <p>Any thread may call {@link #execute}. All other methods are for the thread that steps the
 * loop, unless they say otherwise.
 *
 * <p>The class is long, because the order of work in a cycle is one decision, and every wait and
 * wake-up depends on it.
 */
public final class EventLoop {
  private static final ThrottledLog FAILED =
      ThrottledLog.of(EventLoop.class, "failures on event loops");
  private static final ThrottledLog THREW =
      ThrottledLog.of(EventLoop.class, "callbacks that threw");
  private static final long AGAIN_NANOS = 100_000_000;
  private static final int COMMANDS_PER_CYCLE = 1024;
  private static final int QUEUE_CHUNK = 1024;

  /** Replaces a command that has run, so that its memory can be freed. */
  private static final Command NOTHING = EventLoop::nothing;

  /** The loop that this thread steps while it waits for the reply to its call. */
  static final ScopedValue<EventLoop> STEPPED = ScopedValue.newInstance();

  private static final long BETWEEN_TRIES_NANOS = 1_000_000;
  private static final int MOST_TRIES = 10_000;

  /** With more sessions, calls seldom come one by one. */
  private static final int MOST_TENANTS = 16;

  static {
    // The JVM resolves the classes in catch clauses when it first needs them, and may have no
    // memory then.
    Object _ = List.of(Throwable.class, OutOfMemoryError.class);
  }

  private final String name;
  private final NanoClock clock;
  private final Timers timers;
  private final MpscUnboundedAtomicArrayQueue<Command> commands =
      new MpscUnboundedAtomicArrayQueue<>(QUEUE_CHUNK);

  /**
   * Whether commands may wait; set after each is queued. Checking the queue itself would make an
   * empty cycle a quarter slower.
   */
  private final AtomicBoolean handedOver = new AtomicBoolean();

  private final AtomicBoolean waiting = new AtomicBoolean();
  private final LinkDriver driver;
  private final SplittableRandom random;
  private final CallScope callScope = new CallScope(null);

  /** The commands for the end of this cycle, in order, and their number. */
  private Command[] cycleEnd = new Command[QUEUE_CHUNK];

  private int dueAtEnd;

  /** The commands of the last cycle's end; null while they run. */
  private Command @Nullable [] cycleEndBefore = new Command[QUEUE_CHUNK];

  private volatile @Nullable Thread owner = Thread.currentThread();
  private volatile boolean stopping;
  private @Nullable Cleaner cleaner;

  /** The drivers of better links, in the order in which they were made. */
  private Upgrades[] upgrades = {};

  private boolean inCycle;

  /** Says which thread steps the loop; null if that never changes. */
  private volatile @Nullable Helm helm;

  /** Whether a caller steps the loop. */
  private boolean byCaller;

  /** The calls of this end that wait for a reply. */
  private int callsInFlight;

  /** The sessions with links. */
  private Tenant[] tenants = {};

  private boolean firstLinksBusy;

  /** Whether the wait before this cycle handled events, so that links need no check. */
  private boolean metWork;

  private long firstLinksPolled;
  private long firstLinksEveryNanos;
  private volatile boolean closed;
  private long now;

  /** Whether the loop has worked or waited since the clock was read. */
  private boolean stale;

  /**
   * Makes a loop for links of one kind.
   *
   * @param name for threads and logs
   * @param clock the only clock of the loop and of everything that it owns
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
   * Runs a command on the loop, in the order of the calls. Safe for use by any thread. After the
   * loop has closed, the calling thread runs the command. Everything that the loop owned has ended
   * then and only reports that, so that no caller waits in vain.
   *
   * <p>If the queue needs memory for more commands and there is none, the calling thread waits
   * until the loop has run one, at most 10 s. On a loop's own thread the command runs at the end of
   * the cycle instead.
   *
   * @throws OutOfMemoryError if that does not help; the command is not run
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
   * Runs a command now if the calling thread steps this loop; otherwise as {@link #execute} does.
   */
  public void runOrExecute(Command command) {
    if (isOwner()) {
      command.run();
    } else {
      execute(command);
    }
  }

  /**
   * Runs a task that must not be lost. If the first executor rejects it, the other one runs it. If
   * both do, they are tried again a little later. An exception of the task is logged.
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
        // The JVM itself may need memory for an operation that it does for the first time.
      }
    }
  }

  /**
   * Enables {@link #whenUnreachable}. Call it before the loop is stepped. Do not enable it for a
   * loop whose runs must be reproducible, because the time of garbage collection is unpredictable.
   */
  public void cleaner(Cleaner cleaner) {
    this.cleaner = cleaner;
  }

  /**
   * Runs an action on another thread when an object is no longer reachable, if the loop has a
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

  /**
   * Returns a random generator for delays. Its numbers differ between machines, and are the same in
   * each run of a stepped world.
   */
  public RandomGenerator random() {
    return random;
  }

  /** Returns an executor that uses {@link #execute}. Safe for use by any thread. */
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
      Helm steered = helm;
      if (steered == null || !steered.recall()) {
        driver.wakeup();
      }
    }
  }

  // ---- callers that step the loop while they wait ----

  /** A session on this loop. */
  @FunctionalInterface
  public interface Tenant {
    /**
     * Returns whether nothing but replies to calls can make the session run code of users on the
     * loop, or begin anything. Asked while no call is in flight. On the loop.
     */
    boolean isOnlyForBlockingCalls();
  }

  /** A session has links. On the loop. */
  public void addTenant(Tenant tenant) {
    removeTenant(tenant);
    tenants = ArrayUtil.add(tenants, tenant);
  }

  /** A session has ended. On the loop. */
  public void removeTenant(Tenant tenant) {
    tenants = ArrayUtil.remove(tenants, tenant);
  }

  /** Lets blocking callers step the loop. Call it before the first cycle. */
  public void steerBy(Helm made) {
    helm = made;
  }

  /**
   * Runs a command on the loop. If nobody else needs the loop, the calling thread steps it until a
   * future is done. Safe for use by any thread.
   *
   * @return false if the command must be {@linkplain #execute executed} instead
   */
  public boolean drive(Command command, Future<?> until) {
    Helm steered = helm;
    return steered != null && steered.drive(command, until);
  }

  /** Returns whether a reply should be {@linkplain #tellLater told later}. On the loop. */
  public boolean tellsLater() {
    Helm steered = helm;
    return steered != null && steered.keeps();
  }

  /** Tells a caller of its reply at the end of this cycle. On the loop. */
  public void tellLater(Command reply) {
    Helm steered = helm;
    if (steered == null) {
      reply.run();
    } else {
      steered.keep(reply);
    }
  }

  /** Calls of this end began to wait for a reply, or have ended. On the loop. */
  public void callsInFlight(int more) {
    int before = callsInFlight;
    callsInFlight += more;
    Helm steered = helm;
    if (steered != null && before == 0) {
      steered.callBegan();
    } else if (steered != null && callsInFlight == 0) {
      steered.callsEnded();
    }
  }

  int callsInFlight() {
    return callsInFlight;
  }

  /** Returns whether a caller steps the loop. What it must not do can be executed. On the loop. */
  public boolean isSteppedByCaller() {
    return byCaller;
  }

  /** Returns whether commands wait for the next cycle. */
  boolean hasCommands() {
    return handedOver.get();
  }

  /** Returns whether nothing is left to do at the end of a cycle. */
  boolean isAtRest() {
    return dueAtEnd == 0;
  }

  boolean isStopping() {
    return stopping;
  }

  @Nullable Thread owner() {
    return owner;
  }

  /** Returns whether every session on the loop makes blocking calls and nothing else. */
  boolean isOnlyForBlockingCalls() {
    if (tenants.length > MOST_TENANTS) {
      return false;
    }
    for (Tenant tenant : tenants) {
      if (!tenant.isOnlyForBlockingCalls()) {
        return false;
      }
    }
    return true;
  }

  /** Returns whether there is nothing to do that only the loop's own thread may do. */
  boolean mayBeSteppedByCallers() {
    if (stopping || hasCommands() || timers.areDue(now()) || !driver.mayChangeThread()) {
      return false;
    }
    for (Upgrades one : upgrades) {
      if (!one.mayChangeThread()) {
        return false;
      }
    }
    return true;
  }

  /** Returns whether virtual threads may step the loop. Safe for use by any thread. */
  boolean suitsVirtualThreads() {
    return driver.suitsVirtualThreads();
  }

  /** The calling thread, which has the helm, steps the loop from now on. */
  void takeOver() {
    owner = Thread.currentThread();
    byCaller = STEPPED.isBound();
    stale = true;
    waiting.set(false);
    driver.adopted();
    if (!commands.isEmpty()) {
      handedOver.set(true); // the other thread may not have set it yet
    }
  }

  /** The calling thread steps the loop no longer, and makes the helm available next. */
  void letGo() {
    byCaller = false;
    try {
      driver.released();
    } catch (Throwable e) {
      failed("Leaving links to another thread", e);
    }
    owner = null;
    waiting.set(true);
  }

  /** Recalls the loop's own thread if a command came before the helm was available. */
  void recallIfAsked() {
    if (!commands.isEmpty()) {
      wakeup();
      // Its sender may have found the helm taken, and have cleared the flag.
      Helm steered = helm;
      if (steered != null) {
        steered.recall();
      }
    }
  }

  /** Runs a caller's command, and sends the frames that follow. */
  void begin(Command command) {
    stale = true;
    inCycle = true;
    try {
      run(command);
      runCycleEnd();
      stale = true;
    } finally {
      inCycle = false;
    }
  }

  /**
   * Runs one duty cycle of a caller, without commands and timers. Returns the number of events
   * handled.
   *
   * @param waitNanos the longest wait; 0 for none
   */
  int cycleOfCaller(long waitNanos) {
    long nanos = waitNanos > 0 ? beginWait(waitNanos) : 0;
    stale = true;
    inCycle = true;
    try {
      int first = waitNanos > 0 ? await(nanos) : pollFirstLinks();
      return first + pollUpgrades() + runCycleEnd();
    } finally {
      inCycle = false;
    }
  }

  /**
   * Runs a command at the end of this duty cycle, so that all frames of a cycle are flushed
   * together. Commands run in the order in which they were added. A session adds itself once a
   * cycle, so the one that has waited longest sends first.
   */
  public void atCycleEnd(Command command) {
    if (dueAtEnd == cycleEnd.length) {
      cycleEnd = Arrays.copyOf(cycleEnd, 2 * dueAtEnd);
    }
    cycleEnd[dueAtEnd] = command;
    dueAtEnd++;
  }

  /** Returns whether the calling thread steps this loop. Safe for use by any thread. */
  public boolean isOwner() {
    return Thread.currentThread() == owner;
  }

  /**
   * Returns whether the calling thread must not wait, because it steps this loop or another one,
   * whose sessions would stop. Safe for use by any thread.
   */
  public boolean isNotToWait() {
    return isOwner() || isLoopThread();
  }

  /** Returns whether the calling thread was made to step a loop, or steps one as a caller. */
  public static boolean isLoopThread() {
    return isOwnThread() || STEPPED.isBound();
  }

  private static boolean isOwnThread() {
    return Thread.currentThread() instanceof LoopThread.OfLoop;
  }

  /**
   * Returns whether the calling thread is in a duty cycle of this loop. Safe for use by any thread.
   */
  public boolean isInCycle() {
    return isOwner() && inCycle;
  }

  /** Makes the calling thread the owner that steps this loop. */
  public void adopt() {
    owner = Thread.currentThread();
  }

  /** Gives up ownership. The loop has no owner until a thread adopts it. */
  public void disown() {
    owner = null;
  }

  /**
   * Returns the time of the present batch of work. It is no older than the commands, frames and
   * timers that the loop handles now. The clock is read on demand, once for each batch.
   */
  public long now() {
    if (stale) {
      stale = false;
      now = clock.nanoTime();
    }
    return now;
  }

  /**
   * Returns the loop's clock, with which other threads compute deadlines. Safe for use by any
   * thread.
   */
  public NanoClock clock() {
    return clock;
  }

  public Timers timers() {
    return timers;
  }

  public LinkDriver driver() {
    return driver;
  }

  /**
   * Returns the driver of this loop's better links of one kind. It is made on the first call.
   *
   * @throws LinkException if it cannot be made, or the loop is closing
   */
  public UpgradeDriver upgradeDriver(UpgradeProvider provider) throws LinkException {
    if (stopping) {
      throw new LinkException("the event loop is closing", null);
    }
    for (Upgrades one : upgrades) {
      if (one.provider.equals(provider)) {
        return one.driver();
      }
    }
    if (byCaller) {
      // The driver may open a device, and bind its thread to the device's node.
      throw new LinkException("a caller steps the event loop now", null);
    }
    Upgrades added = new Upgrades(provider);
    upgrades = ArrayUtil.add(upgrades, added);
    return added.driver();
  }

  /** Returns the exception of such a driver, while all its links end because of it; else null. */
  public @Nullable String breakingUpgrades() {
    for (Upgrades one : upgrades) {
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
   * Sets the present call in the loop's scope, until {@link #leave}.
   *
   * @return false if this thread has not bound the scope, because it is not a loop's own thread. It
   *     must then {@linkplain #handle run} the handler by this loop
   */
  public boolean enter(CallContext call) {
    callScope.set(call);
    return isOwnThread() || (CallScope.CURRENT.isBound() && CallScope.CURRENT.get() == callScope);
  }

  /** Removes the present call when its handler has ended. */
  public void leave() {
    callScope.set(null);
    if (isOwnThread()) {
      Thread.interrupted(); // an interrupt would close the loop's sockets
    }
  }

  /** Runs the handler of a call that has been {@linkplain #enter entered}. */
  public void handle(Runnable handler) {
    ScopedValue.where(CallScope.CURRENT, callScope).run(handler);
  }

  /** Runs one duty cycle without waiting. Returns the number of events handled. */
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
   * Runs one duty cycle that begins with a wait until there is work, a timer is due, or the time
   * has passed. Returns the number of events handled.
   */
  int doWork(long waitNanos) {
    return endWait(beginWait(waitNanos));
  }

  /**
   * Begins a duty cycle with the first half of a wait, for code that steps the loop by hand. From
   * now on all new work wakes the driver. Time may pass, and other loops may be stepped, before
   * {@link #endWait}.
   *
   * @return the longest wait in nanoseconds, unless the driver is woken or ready earlier; 0 or less
   *     if there is work already
   */
  public long beginWait(long atMostNanos) {
    stale = true;
    inCycle = true;
    try {
      waiting.set(true);
      // A command queued before the flag was set did not wake the loop, so the queue is checked
      // again.
      if (!commands.isEmpty()) {
        handedOver.set(true); // the other thread may not have set it yet
        return 0;
      }
      boolean idle = dueAtEnd == 0 && !stopping && armUpgrades();
      return idle ? timers.nanosToNext(now(), atMostNanos) : 0;
    } finally {
      inCycle = false;
    }
  }

  /**
   * Does the second half of a wait and the rest of its duty cycle. It waits in the driver, which
   * may handle ready events there. So answers are sent before the driver checks for more.
   *
   * @param nanos the result of {@link #beginWait}
   * @return the number of events handled
   */
  public int endWait(long nanos) {
    stale = true; // the driver handles events after the wait
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
    for (Upgrades one : upgrades) {
      if (!one.arm(now())) {
        return false;
      }
    }
    return true;
  }

  private int pollUpgrades() {
    int upgraded = 0;
    for (Upgrades one : upgrades) {
      upgraded += one.poll(now());
    }
    stale |= upgraded > 0; // the work took time
    return upgraded;
  }

  private int doTheRest() {
    int upgraded = pollUpgrades();
    int expired = timers.areDue(now()) ? timers.poll(now()) : 0;
    stale |= expired > 0;
    return upgraded + expired + runCycleEnd();
  }

  /**
   * Polls the links, unless the wait has just done so. Events that are ready now end the next wait.
   */
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

  /** Returns whether there are better links. */
  boolean hasUpgradedLinks() {
    for (Upgrades one : upgrades) {
      if (one.isInUse()) {
        return true;
      }
    }
    return false;
  }

  /**
   * While there are better links, polls the first links only at this interval, unless the last poll
   * found work. Polling them is a system call, and a cycle without it is much shorter. Not for
   * loops that are stepped by hand, whose clock may stand still.
   */
  void pollFirstLinksEvery(long nanos) {
    firstLinksEveryNanos = nanos;
  }

  private int drainCommands() {
    if (!handedOver.get()) {
      return 0;
    }
    handedOver.set(false); // cleared before the queue is read: a later command sets it again
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
    cycleEnd = next == null ? new Command[QUEUE_CHUNK] : next; // for commands that they add
    cycleEndBefore = null;
    dueAtEnd = 0;
    for (int i = 0; i < due; i++) {
      Command command = running[i];
      running[i] = NOTHING; // cleared one by one, because filling the whole array would take longer
      run(command);
    }
    cycleEndBefore = running;
    return due;
  }

  private static void nothing() {}

  /** Runs a command, and logs what it throws. Safe for use by any thread. */
  public static void run(Command command) {
    try {
      command.run();
    } catch (Throwable e) {
      failed("A command", e);
    }
  }

  /**
   * Logs a failure. Nothing ends a loop, not even an error of the virtual machine, because other
   * sessions depend on it. The failed work is over, and its waiters get their timeout at the
   * latest.
   *
   * @return 1, for an event handled
   */
  static int failed(String what, Throwable failure) {
    try {
      FAILED.error("{} failed on the event loop; the loop goes on", what, failure);
    } catch (Throwable untold) {
      // There is no memory for a line in the log either. The failure is counted, and the next line
      // contains the number.
    }
    return 1;
  }

  /** Stops the loop from waiting, so that its thread notices its end at once. */
  void stopWaiting() {
    stopping = true;
    wakeup();
  }

  /**
   * Closes the loop's links and runs the waiting commands. The loop cannot be used afterwards. If
   * peers do not answer, this takes seconds, and commands and timers run meanwhile.
   */
  public void onClose() {
    stopping = true;
    run(this::runAll);
    for (Upgrades one : upgrades) {
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
   * The driver of better links of one kind, while there is one. A driver that throws when it is
   * stepped is closed with all its links. The next attempt makes another.
   */
  private final class Upgrades {
    private final UpgradeProvider provider;
    private @Nullable UpgradeDriver driver;
    private @Nullable String breaking;

    Upgrades(UpgradeProvider provider) {
      this.provider = provider;
    }

    UpgradeDriver driver() throws LinkException {
      UpgradeDriver made = driver;
      if (made == null) {
        LocalSockets sockets = EventLoop.this.driver.localSockets();
        made =
            ProviderCalls.ask(
                "newDriver()", () -> provider.newDriver(EventLoop.this::wakeup, sockets));
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

    boolean mayChangeThread() {
      try {
        return driver == null || driver.mayChangeThread();
      } catch (Throwable thrown) {
        breaks("mayChangeThread()", thrown);
        return false;
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
        return false; // the work that follows from the end of the links comes first
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
          closing.close(EventLoop.this::goOn);
        } catch (Throwable thrown) {
          ProviderCalls.failure("close()", thrown);
        }
      }
    }
  }
}
