package io.verbena.simulation.world;

import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.core.loop.EventLoop;
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

/** One process on one host: its clock, loops, handler threads, device, and its client or server. */
public final class SimHost implements Strand.Place, NanoClock {
  private static final long LONGEST_WAIT_NANOS = 1_000_000_000L;
  private static final long SPIN_NANOS = 5_000;

  /** Far more than what is there to do at one moment. */
  private static final int MOST_CYCLES_AT_ONCE = 100_000;

  /** So many threads for files, checksums and copies. */
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

  /** Has the process stand still, as under SIGSTOP; or go on. */
  public void standStill(boolean still) {
    long now = world.scheduler().agenda().now();
    if (still && !this.still) {
      stillSince = now;
    } else if (!still && this.still) {
      stillNanos += now - stillSince;
    }
    this.still = still;
  }

  /** Returns for how long it has stood still so far. */
  public long stillNanos() {
    return stillNanos + (still ? world.scheduler().agenda().now() - stillSince : 0);
  }

  /** It stood still for so long together with all else. */
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

  /** Returns its client; null on a server's host. */
  public @Nullable VerbenaClient client() {
    return client;
  }

  /** Returns its server; null on a client's host. */
  public @Nullable VerbenaServer server() {
    return server;
  }

  /** Returns how the process is set up that follows. */
  public HostSettings settingsOfNext() {
    return settings.ofNext();
  }

  /** Returns its loops. */
  public List<EventLoop> loops() {
    return loops;
  }

  /** Returns its handler threads. */
  public HandlerPool handlers() {
    return handlers;
  }

  /** Returns the threads on which it does work of its own. */
  HandlerPool workers() {
    return workers;
  }

  /** Returns a thread for each task, for what has to wait. */
  HandlerPool waiting() {
    return waiting;
  }

  /** Returns its RDMA links; null where it has none. */
  public @Nullable RdmaUpgradeProvider rdma() {
    return rdma;
  }

  /** Returns its links through shared memory; null where it has none. */
  public @Nullable ShmProcess shm() {
    return shm;
  }

  /** Returns the host as the network sees it. */
  public NetHost net() {
    return net;
  }

  /** Returns the host as the fabric sees it. */
  public FabricHost fabric() {
    return fabric;
  }

  /** Returns its name, for traces. */
  public String name() {
    return name;
  }

  /** Returns what its sessions upgrade by; null where they do not. */
  public @Nullable UpgradeProvider upgrades() {
    UpgradeProvider provider = rdma == null ? shm : rdma;
    return provider == null
        ? null
        : new WatchedUpgrades(provider, peer -> upgradeWatch.accept(peer));
  }

  /** Has something hear of the servers of its sessions whenever these ask for better links. */
  public void watchUpgrades(Consumer<URI> watch) {
    upgradeWatch = watch;
  }

  void start() {
    for (EventLoop loop : loops) {
      strands.add(world.scheduler().start(this, loop.roleName(), () -> new LoopStrand(loop).run()));
    }
  }

  /** One loop's thread. */
  private final class LoopStrand {
    private final EventLoop loop;
    private long cycleTime;
    private int cyclesNow;

    LoopStrand(EventLoop loop) {
      this.loop = loop;
    }

    /**
     * A loop that finds work for ever without time going on would be a busy processor for users.
     */
    private void noteCycle() {
      long now = world.scheduler().agenda().now();
      cyclesNow = now == cycleTime ? cyclesNow + 1 : 0;
      cycleTime = now;
      if (cyclesNow > MOST_CYCLES_AT_ONCE) {
        throw new IllegalStateException("the loop " + loop.roleName() + " finds work for ever");
      }
    }

    /** As the product's own loop thread: cycles while there is work, else waits. */
    void run() {
      loop.adopt();
      Strand mine = world.scheduler().strand();
      while (!ending) {
        noteCycle();
        if (loop.doWork() > 0) {
          mine.pause();
          continue;
        }
        long nanos = loop.beginWait(LONGEST_WAIT_NANOS);
        int work = loop.endWait(nanos);
        if (work > 0) {
          mine.pause();
        } else if (nanos <= 0) {
          mine.await(SPIN_NANOS); // a link that is watched all the time: cycles take theirs
        }
      }
      closeOnce();
      loop.onClose();
      loopsEnded++;
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

  /** Ends it in order; done when {@link #hasEnded}. */
  void end() {
    loops.forEach(loop -> loop.execute(() -> ending = true));
  }

  /** Returns whether its loops have ended. */
  public boolean hasEnded() {
    return killed || loopsEnded == loops.size();
  }

  /** The process is killed: its kernel resets its connections, and nothing of it runs any more. */
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
