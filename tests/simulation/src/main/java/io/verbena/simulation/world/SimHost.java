package io.verbena.simulation.world;

import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.core.loop.Carriers;
import io.verbena.core.loop.EventLoop;
import io.verbena.core.loop.Helm;
import io.verbena.link.LinkProvider;
import io.verbena.link.UpgradeProvider;
import io.verbena.link.runtime.NanoClock;
import io.verbena.rdma.RdmaUpgradeProvider;
import io.verbena.simulation.net.NetHost;
import io.verbena.simulation.time.Strand;
import io.verbena.verbs.fabric.FabricHost;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One process on one host, with its clock, loops, handler threads, device, and client or server.
 */
public final class SimHost implements Strand.Place, NanoClock {
  private static final long LONGEST_WAIT_NANOS = 1_000_000_000L;
  private static final long SPIN_NANOS = 5_000;

  /** Far more cycles than the work of one moment needs. */
  private static final int MOST_CYCLES_AT_ONCE = 100_000;

  private static final int PROCESSORS = 4;

  /** The number of threads for files, checksums and copies. */
  private static final int WORKERS = 4;

  private final SimWorld world;
  private final String name;
  private final NetHost net;
  private final FabricHost fabric;
  private final HostSettings settings;
  private final long clockOffset;
  private final List<EventLoop> loops = new ArrayList<>();
  private final HandlerPool handlers;
  private final HandlerPool workers;
  private final HandlerPool waiting;
  private final @Nullable RdmaUpgradeProvider rdma;
  private final @Nullable ShmProcess shm;
  private Consumer<URI> upgradeWatch = peer -> {};
  private final List<Strand> strands = new ArrayList<>();
  private final List<Helm> helms = new ArrayList<>();
  private final Carriers carriers = new Carriers(PROCESSORS, PROCESSORS);
  private @Nullable VerbenaServer server;
  private @Nullable VerbenaClient client;
  private boolean still;
  private boolean killed;
  private long stillSince;
  private long stillNanos;
  private boolean ending;
  private boolean closed;
  private int loopsEnded;

  SimHost(
      SimWorld world,
      String name,
      NetHost net,
      FabricHost fabric,
      HostSettings settings,
      int loops,
      long clockOffset) {
    this.world = world;
    this.name = name;
    this.net = net;
    this.fabric = fabric;
    this.settings = settings;
    this.clockOffset = clockOffset;
    LinkProvider links = world.network().links(net, world.scheduler());
    for (int i = 0; i < loops; i++) {
      this.loops.add(new EventLoop(i == 0 ? name : name + "-loop-" + i, this, links));
    }
    this.handlers =
        new HandlerPool(
            world.scheduler(),
            this,
            name + "-handler",
            settings.handlerThreads(),
            settings.handlerQueue());
    this.workers =
        new HandlerPool(world.scheduler(), this, name + "-worker", WORKERS, Integer.MAX_VALUE);
    this.waiting =
        new HandlerPool(
            world.scheduler(), this, name + "-waiting", Integer.MAX_VALUE, Integer.MAX_VALUE);
    this.rdma =
        settings.upgrades() == Upgrades.RDMA
            ? new RdmaUpgradeProvider(fabric, settings.rdmaSettings(), this)
            : null;
    this.shm = settings.upgrades() == Upgrades.SHARED_MEMORY ? world.sharedMemory().of(this) : null;
  }

  @Override
  public long nanoTime() {
    return world.scheduler().agenda().now() + clockOffset;
  }

  @Override
  public boolean acquire(Semaphore permits, long nanos) throws InterruptedException {
    return Strand.acquire(permits, nanos);
  }

  @Override
  public boolean standsStill() {
    return still || killed;
  }

  /** Stops the process, as SIGSTOP does, or continues it. */
  public void standStill(boolean still) {
    long now = world.scheduler().agenda().now();
    if (still && !this.still) {
      stillSince = now;
    } else if (!still && this.still) {
      stillNanos += now - stillSince;
    }
    this.still = still;
  }

  /** Returns the time for which the process has stood still so far. */
  public long stillNanos() {
    return stillNanos + (still ? world.scheduler().agenda().now() - stillSince : 0);
  }

  /** Adds a time for which the whole machine stood still. */
  void stoodStill(long nanos) {
    if (!still) {
      stillNanos += nanos;
    }
  }

  void server(VerbenaServer server) {
    this.server = server;
  }

  void client(VerbenaClient client) {
    this.client = client;
  }

  /** Returns the client; null on a server's host. */
  public @Nullable VerbenaClient client() {
    return client;
  }

  /** Returns the server; null on a client's host. */
  public @Nullable VerbenaServer server() {
    return server;
  }

  public HostSettings settingsOfNext() {
    return settings.ofNext();
  }

  public List<EventLoop> loops() {
    return loops;
  }

  public HandlerPool handlers() {
    return handlers;
  }

  /** Returns the threads for the engine's own work. */
  HandlerPool workers() {
    return workers;
  }

  /** Returns the pool for waiting tasks, with a thread for each. */
  HandlerPool waiting() {
    return waiting;
  }

  /** Returns the RDMA links; null if the process has none. */
  public @Nullable RdmaUpgradeProvider rdma() {
    return rdma;
  }

  /** Returns the links through shared memory; null if the process has none. */
  public @Nullable ShmProcess shm() {
    return shm;
  }

  public NetHost net() {
    return net;
  }

  public FabricHost fabric() {
    return fabric;
  }

  /** Returns the name for traces. */
  public String name() {
    return name;
  }

  /** Returns the provider of upgrades for its sessions; null if they do not upgrade. */
  public @Nullable UpgradeProvider upgrades() {
    UpgradeProvider provider = rdma == null ? shm : rdma;
    return provider == null
        ? null
        : new WatchedUpgrades(provider, peer -> upgradeWatch.accept(peer));
  }

  /** Sets a watch, which receives the server whenever a session requests a better link. */
  public void watchUpgrades(Consumer<URI> watch) {
    upgradeWatch = watch;
  }

  void start() {
    for (EventLoop loop : loops) {
      strands.add(world.scheduler().start(this, loop.roleName(), () -> new LoopStrand(loop).run()));
    }
  }

  /** The thread of one loop. */
  private final class LoopStrand implements Helm.Sleep {
    private final EventLoop loop;
    private long cycleTime;
    private int cyclesNow;
    private @Nullable Strand asleep;
    private boolean woken;

    LoopStrand(EventLoop loop) {
      this.loop = loop;
    }

    @Override
    public void begin(long nanos) {
      if (!woken) {
        asleep = world.scheduler().strand();
        asleep.await(nanos);
        asleep = null;
      }
      woken = false;
    }

    @Override
    public void end() {
      woken = true;
      if (asleep != null) {
        asleep.wake();
      }
    }

    @Override
    public void spin() {
      world.scheduler().strand().await(SPIN_NANOS);
    }

    /**
     * Fails if a loop finds work for ever while time stands still. For users, such a loop would
     * occupy a processor.
     */
    private void noteCycle() {
      long now = world.scheduler().agenda().now();
      cyclesNow = now == cycleTime ? cyclesNow + 1 : 0;
      cycleTime = now;
      if (cyclesNow > MOST_CYCLES_AT_ONCE) {
        throw new IllegalStateException("the loop " + loop.roleName() + " finds work for ever");
      }
    }

    /** Runs cycles while there is work, else waits, like the product's own loop thread. */
    void run() {
      loop.adopt();
      Helm helm = new Helm(loop, this, carriers);
      if (world.callersStep()) {
        helms.add(helm);
        loop.steerBy(helm);
      }
      while (!ending) {
        noteCycle();
        step(world.scheduler().strand());
        helm.afterCycle();
      }
      closeOnce();
      loop.onClose();
      loopsEnded++;
    }

    private void step(Strand mine) {
      if (loop.doWork() > 0) {
        mine.pause();
        return;
      }
      long nanos = loop.beginWait(LONGEST_WAIT_NANOS);
      int work = loop.endWait(nanos);
      if (work > 0) {
        mine.pause();
      } else if (nanos <= 0) {
        mine.await(SPIN_NANOS); // the link is polled, and cycles take time
      }
    }
  }

  private void closeOnce() {
    if (closed) {
      return;
    }
    closed = true;
    if (server != null) {
      server.close();
    }
    if (client != null) {
      client.close();
    }
  }

  /** Returns the number of calls whose callers have stepped a loop until their end. */
  public long stepped() {
    return helms.stream().mapToLong(Helm::stepped).sum();
  }

  /** Begins to end the process in order. It is done when {@link #hasEnded}. */
  void end() {
    loops.forEach(loop -> loop.execute(() -> ending = true));
  }

  /** Returns whether the loops have ended. */
  public boolean hasEnded() {
    return killed || loopsEnded == loops.size();
  }

  /** Kills the process. The kernel resets its connections, and none of its threads runs again. */
  void kill() {
    net.killProcess();
    fabric.killProcess();
    if (shm != null) {
      shm.kill();
    }
    handlers.close();
    workers.close();
    waiting.close();
    strands.forEach(Strand::cut);
    killed = true;
  }

  @Override
  public String toString() {
    return name;
  }
}
