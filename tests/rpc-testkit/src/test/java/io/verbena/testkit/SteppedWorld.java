package io.verbena.testkit;

import static java.util.Objects.requireNonNull;

import io.verbena.core.SessionLimits;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.core.loop.EventLoop;
import io.verbena.link.LinkProvider;
import io.verbena.mem.InMemoryNetwork;
import java.lang.ref.Cleaner;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A whole client, server and network that the test steps in its own thread, on a clock that moves
 * only when the test says so. Where it moves on, the loops wait as they do in a program.
 *
 * <pre>{@code
 * SteppedWorld world = new SteppedWorld();
 * VerbenaServer server = world.server(s -> s.serve(GreeterRpc.bind(new MyGreeter())));
 * GreeterRpc.Async greeter = GreeterRpc.async(world.client().session(world.address()));
 * CompletableFuture<String> greeting = greeter.greet("world").toCompletableFuture();
 * world.runUntil(greeting::isDone);
 * }</pre>
 */
public final class SteppedWorld implements AutoCloseable {
  private static final String ADDRESS = "mem://server";
  private static final int MOST_STEPS = 1_000_000;

  /** A little longer than a session waits for the second message of its server. */
  public static final Duration HEAD_START = Duration.ofMillis(25);

  private static final Duration TICK = Duration.ofMillis(1);
  private static final Duration LONGEST_WAIT = Duration.ofHours(1);
  private static final Duration LONGEST_WAIT_FOR_THREADS = Duration.ofSeconds(10);

  private static final Cleaner CLEANER = Cleaner.create();

  private final ManualClock clock = new ManualClock();
  private final @Nullable InMemoryNetwork network;
  private final EventLoop clientLoop;
  private final EventLoop serverLoop;
  private final ArrayDeque<Runnable> handlers = new ArrayDeque<>();
  private final List<IntSupplier> besides = new ArrayList<>();
  private final List<Runnable> ends = new ArrayList<>();
  private final VerbenaClient client;
  private final SessionLimits limits;
  private boolean serverPaused;
  private boolean waiting = true;

  /** An action during the next wait of a loop. */
  private Runnable meanwhile = () -> {};

  /** A world with the default limits. */
  public SteppedWorld() {
    this(SessionLimits.DEFAULT, InMemoryNetwork.DEFAULT_RING_FRAMES);
  }

  /**
   * A world with these limits at both ends.
   *
   * @param ringFrames the frames that fit on the link each way
   */
  public SteppedWorld(SessionLimits limits, int ringFrames) {
    this(limits, ringFrames, InMemoryNetwork.DEFAULT_CHUNK_BYTES);
  }

  /**
   * A world with these limits at both ends.
   *
   * @param ringFrames the frames and bulk writes that fit on the link each way
   * @param chunkBytes the bytes that one bulk write has
   */
  public SteppedWorld(SessionLimits limits, int ringFrames, int chunkBytes) {
    this.limits = limits;
    network =
        new InMemoryNetwork(clock, ringFrames, chunkBytes, _ -> takeMeanwhile().run()).landOnHeap();
    clientLoop = loop("client", network);
    serverLoop = loop("server", network);
    client = client(settings -> {});
  }

  /** A world with the default limits, whose loops have other links, and do not wait. */
  public SteppedWorld(LinkProvider links) {
    limits = SessionLimits.DEFAULT;
    network = null;
    clientLoop = loop("client", links);
    serverLoop = loop("server", links);
    client = client(settings -> {});
    waiting = false;
  }

  private EventLoop loop(String name, LinkProvider links) {
    EventLoop loop = new EventLoop(name, clock, links);
    loop.cleaner(CLEANER);
    return loop;
  }

  /** Makes one more client, on the same loop as the first. */
  public VerbenaClient client(Consumer<VerbenaClient.Builder> settings) {
    VerbenaClient.Builder builder =
        VerbenaClient.builder()
            .limits(limits)
            .handlers(handlers::add)
            .steppedBy(List.of(clientLoop), handlers::add, Thread::startVirtualThread);
    settings.accept(builder);
    VerbenaClient made = builder.build();
    ends.add(made::close);
    return made;
  }

  /** Returns where the server is. */
  public String address() {
    return ADDRESS;
  }

  /** Returns the clock. */
  public ManualClock clock() {
    return clock;
  }

  /**
   * Returns the network, to cut and heal.
   *
   * @throws NullPointerException in a world of other links
   */
  public InMemoryNetwork network() {
    return requireNonNull(network);
  }

  /** Returns what runs handlers in their turn, for executors that stand before it. */
  public Executor handlers() {
    return handlers::add;
  }

  /** Returns the client. */
  public VerbenaClient client() {
    return client;
  }

  /** Starts a server. */
  public VerbenaServer server(Consumer<VerbenaServer.Builder> settings) {
    VerbenaServer.Builder builder =
        VerbenaServer.builder()
            .limits(limits)
            .handlers(handlers::add)
            .steppedBy(List.of(serverLoop), handlers::add, Thread::startVirtualThread)
            .random(new Random(1))
            .listen(ADDRESS);
    settings.accept(builder);
    VerbenaServer made = builder.start();
    ends.add(made::close);
    return made;
  }

  /**
   * Has loops not wait where time passes, for a world with drivers whose wait needs a thread of
   * their own.
   */
  public SteppedWorld withoutWaits() {
    waiting = false;
    return this;
  }

  /**
   * Has something else be stepped where the world settles, such as timers or a device.
   *
   * @param work does what is due, and returns how much that was
   */
  public SteppedWorld besides(IntSupplier work) {
    besides.add(work);
    return this;
  }

  /** Runs one duty cycle of each loop; returns how much was done. Runs nothing else. */
  public int step() {
    return stepClient() + stepServer();
  }

  /** Runs one duty cycle of the clients' loop. */
  public int stepClient() {
    return clientLoop.doWork();
  }

  /** Runs one duty cycle of the servers' loop. */
  public int stepServer() {
    return serverPaused ? 0 : serverLoop.doWork();
  }

  /** Returns the servers' loop. */
  public EventLoop serverLoop() {
    return serverLoop;
  }

  /** Has the server's process stand still, as in a long collection or under SIGSTOP; or go on. */
  public void pauseServer(boolean paused) {
    serverPaused = paused;
  }

  /** Runs the handlers, and the work of the engines, that wait for a thread; returns how many. */
  public int runHandlers() {
    int ran = 0;
    Runnable handler;
    while ((handler = handlers.pollFirst()) != null) {
      handler.run();
      ran++;
    }
    return ran;
  }

  /** Steps loops and handlers until nothing is left to do at this moment of the clock. */
  public void settle() {
    int idle = 0;
    for (int i = 0; i < MOST_STEPS; i++) {
      idle = step() + runHandlers() + runBesides() == 0 ? idle + 1 : 0;
      if (idle == 2) {
        return;
      }
    }
    throw new AssertionError("not settled after " + MOST_STEPS + " steps");
  }

  private int runBesides() {
    int done = 0;
    for (IntSupplier work : besides) {
      done += work.getAsInt();
    }
    return done;
  }

  /** Lets the time pass after which a session that was answered once asks for a better link. */
  public void passHeadStart() {
    pass(HEAD_START);
  }

  /** Lets time pass, a millisecond at a time, settling at each. */
  public void pass(Duration time) {
    settle();
    for (long left = time.toNanos(); left > 0; left -= TICK.toNanos()) {
      passIdle(left < TICK.toNanos() ? Duration.ofNanos(left) : TICK, () -> {});
      settle();
    }
  }

  /**
   * Lets time pass in which both loops wait, as they do when they have nothing to do, and does
   * something while they still wait: they take it up from there.
   */
  public void passIdle(Duration time, Runnable then) {
    Runnable passing =
        () -> {
          clock.advance(time);
          then.run();
        };
    Runnable clientWaits = () -> inWaitOf(clientLoop, passing);
    if (!waiting) {
      passing.run();
    } else if (serverPaused) {
      clientWaits.run();
    } else {
      inWaitOf(serverLoop, clientWaits);
    }
  }

  private void inWaitOf(EventLoop loop, Runnable happening) {
    meanwhile = happening;
    loop.endWait(loop.beginWait(LONGEST_WAIT.toNanos()));
    takeMeanwhile().run(); // unless it has: a loop with something to do does not wait
  }

  private Runnable takeMeanwhile() {
    Runnable taken = meanwhile;
    meanwhile = () -> {};
    return taken;
  }

  /**
   * Steps, letting time pass where nothing is left to do, until a condition holds. What has to wait
   * has a thread of its own, which may not have run in all that time: it is waited for at the end.
   */
  public void runUntil(BooleanSupplier condition) {
    Duration longest = Duration.ofMinutes(2);
    long end = clock.nanoTime() + longest.toNanos();
    while (!holds(condition) && clock.nanoTime() - end <= 0) {
      passIdle(TICK, () -> {});
    }
    long givenUp = System.nanoTime() + LONGEST_WAIT_FOR_THREADS.toNanos();
    while (!holds(condition)) {
      if (System.nanoTime() - givenUp > 0) {
        throw new AssertionError("not so within " + longest.toSeconds() + " s of the test's clock");
      }
      LockSupport.parkNanos(1_000_000);
    }
  }

  /**
   * Runs until something has ended, and returns its result.
   *
   * @throws CompletionException if it has failed
   */
  public <T> T result(CompletionStage<T> stage) {
    CompletableFuture<T> future = stage.toCompletableFuture();
    runUntil(future::isDone);
    return future.join();
  }

  /** Runs until something has failed, as it should, and returns what with. */
  public Throwable failure(CompletionStage<?> stage) {
    CompletableFuture<?> future = stage.toCompletableFuture();
    runUntil(future::isDone);
    return future.exceptionNow();
  }

  private boolean holds(BooleanSupplier condition) {
    if (!condition.getAsBoolean()) {
      settle();
    }
    return condition.getAsBoolean();
  }

  /** Ends the loops, then every client and server. */
  @Override
  public void close() {
    clientLoop.onClose();
    serverLoop.onClose();
    ends.forEach(Runnable::run);
  }
}
