package io.verbena.simulation.world;

import io.verbena.core.EngineBuilder;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.core.bulk.stat.CutOffs;
import io.verbena.link.UpgradeProvider;
import io.verbena.simulation.net.Line;
import io.verbena.simulation.net.VirtualNetwork;
import io.verbena.simulation.time.Agenda;
import io.verbena.simulation.time.Scheduler;
import io.verbena.simulation.time.Strand;
import io.verbena.verbs.fabric.Fabric;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** All hosts of a run, the networks between them, and the one clock behind all of theirs. */
public final class SimWorld {
  /** The port of servers. */
  public static final int PORT = 7400;

  private static final int MOST_SERVER_LOOPS = 3;

  private final SplittableRandom random;
  private final Scheduler scheduler;
  private final VirtualNetwork network;
  private final List<SimHost> hosts = new ArrayList<>();
  private final long seed;
  private final boolean callersStep;
  private Fabric fabric;
  private @Nullable SharedMemory memory;
  private int addresses;

  /**
   * Makes an empty world.
   *
   * @param callersStep whether blocking callers may step event loops
   */
  public SimWorld(long seed, boolean callersStep) {
    this.seed = seed;
    this.callersStep = callersStep;
    random = new SplittableRandom(seed);
    Fabric[] made = new Fabric[1];
    scheduler =
        new Scheduler(
            random.split(),
            agenda -> {
              made[0] = Fabric.stepped(random.nextLong(), agenda::now, this::pause);
              return new Outside(made[0]);
            });
    fabric = made[0];
    network = new VirtualNetwork(scheduler.agenda(), random.split());
  }

  /** Makes a strand that waits for a device wait in the run's time. */
  private void pause(long nanos) {
    Strand strand = scheduler.running();
    if (strand != null) {
      strand.await(nanos);
    }
  }

  private final class Outside implements Scheduler.Outside {
    private final Fabric fabric;

    Outside(Fabric fabric) {
      this.fabric = fabric;
    }

    @Override
    public boolean step() {
      if (memory != null) {
        memory.look();
      }
      return fabric.step();
    }

    @Override
    public long nextDue() {
      return fabric.nextEventNanos();
    }
  }

  boolean callersStep() {
    return callersStep;
  }

  public Scheduler scheduler() {
    return scheduler;
  }

  public VirtualNetwork network() {
    return network;
  }

  /** Returns the fabric of verbs devices. */
  public Fabric fabric() {
    return fabric;
  }

  /** Returns the memory that processes share. */
  SharedMemory sharedMemory() {
    SharedMemory made = memory;
    if (made == null) {
      made = new SharedMemory(scheduler.agenda(), new SplittableRandom(~seed));
      memory = made;
    }
    return made;
  }

  public List<SimHost> hosts() {
    return hosts;
  }

  /** Returns the line of streams between two hosts. */
  public Line line(SimHost one, SimHost other) {
    return network.line(one.net(), other.net());
  }

  /** Adds a host with a process that has no client or server yet. */
  private SimHost add(
      String name, HostSettings settings, String address, int loops, long clockOffset) {
    SimHost host =
        new SimHost(
            this,
            name,
            network.host(address),
            fabric.addHost(name, settings.device(), inet(address)),
            settings,
            loops,
            clockOffset);
    if (settings.rails()) {
      host.fabric().addAdapter(inet(address.replace("10.9.0.", "10.9.1.")));
    }
    hosts.add(host);
    return host;
  }

  /** Draws the offset of a host's clock. Offsets differ much, and some are near the wrap. */
  private long clockOffset() {
    return random.nextInt(4) == 0
        ? Long.MAX_VALUE - random.nextLong(20_000_000_000L)
        : random.nextLong();
  }

  private static InetAddress inet(String address) {
    try {
      return InetAddress.getByName(address);
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException(e);
    }
  }

  /** Starts a server's process, on a host with a new address. */
  public SimHost startServer(
      String name, HostSettings settings, Consumer<VerbenaServer.Builder> onServer) {
    String address = "10.9.0." + ++addresses;
    long clockOffset = clockOffset();
    long own = random.nextLong();
    int loops = 1 + (int) (own >>> 62) % MOST_SERVER_LOOPS;
    SimHost host = add(name, settings, address, loops, clockOffset);
    VerbenaServer.Builder builder = VerbenaServer.builder().listen(address + ":" + PORT);
    set(builder, host, settings);
    builder.random(new Random(own));
    onServer.accept(builder);
    host.server(builder.start());
    network.name(name, host.net());
    host.start();
    return host;
  }

  /** Starts a client's process, on a host with a new address. */
  public SimHost startClient(String name, HostSettings settings) {
    SimHost host = add(name, settings, "10.9.0." + ++addresses, 1, clockOffset());
    VerbenaClient.Builder builder = VerbenaClient.builder();
    set(builder, host, settings);
    host.client(builder.build());
    host.start();
    return host;
  }

  private static void set(EngineBuilder<?> builder, SimHost host, HostSettings settings) {
    builder.limits(settings.limits()).handlers(host.handlers());
    builder.steppedBy(host.loops(), host.workers(), host.waiting());
    builder.bulkMemoryBytes(settings.bulkMemoryBytes()).largeValueBytes(settings.largeValueBytes());
    builder.pinCutOffBytes(CutOffs.LEAST_BESIDE);
    builder.railCutOffBytes(HostSettings.RAILS_FROM_BYTES);
    UpgradeProvider upgrades = host.upgrades();
    if (upgrades != null) {
      builder.upgrades(upgrades);
    }
    if (settings.compressFrom() > 0) {
      builder.compressFromBytes(settings.compressFrom());
    }
  }

  public void kill(SimHost host) {
    hosts.remove(host);
    host.kill();
  }

  /** Moves time forward while nothing runs, as on a suspended machine. */
  public void jump(long nanos) {
    Agenda agenda = scheduler.agenda();
    agenda.moveTo(agenda.now() + nanos);
    hosts.forEach(host -> host.stoodStill(nanos));
  }

  /** Begins to end a process in order. It is done when it {@link SimHost#hasEnded}. */
  public void end(SimHost host) {
    host.end();
  }

  /** Ends all threads. */
  public void close() {
    scheduler.close();
    fabric.close();
    if (memory != null) {
      memory.close();
    }
  }
}
