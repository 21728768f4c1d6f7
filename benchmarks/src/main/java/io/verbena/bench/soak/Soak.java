package io.verbena.bench.soak;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.verbena.api.RpcException;
import io.verbena.api.Session;
import io.verbena.bench.load.Scratch;
import io.verbena.bench.report.Tables;
import io.verbena.bench.usage.Held;
import io.verbena.bench.usage.ProcessMemory;
import io.verbena.bench.verbena.BenchHost;
import io.verbena.core.PathPolicy;
import io.verbena.core.VerbenaClient;
import io.verbena.core.link.UpgradeProvider;
import io.verbena.core.upgrade.ChosenUpgrades;
import io.verbena.testkit.abuse.ThrottledProxy;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * One soak: traffic and faults until it is warm, a look at what is held, traffic and faults again,
 * another look. For one thread.
 */
public final class Soak {
  private static final int SESSIONS = 8;
  private static final Duration CALM = Duration.ofSeconds(100);
  private static final long LOOK_MILLIS = 50;

  /** No limit, so that it does nothing but cut. */
  private static final long FAST = 100_000_000_000L;

  private static final int LEAST_BETWEEN_MILLIS = 200;
  private static final int MOST_BETWEEN_MILLIS = 1_300;

  /** A device may be emulated, as are its processors then: all takes longer. */
  private static final int SLOWER_ON_DEVICE = 6;

  private static final int LONGEST_PAUSE_MILLIS = 7_000;
  private static final int LONGEST_GAP_MILLIS = 1_500;

  private final Mode mode;
  private final long seed;
  private final Duration duration;
  private final PrintWriter out;
  private final SplittableRandom random;
  private final Account account = new Account();
  private int cuts;
  private int kills;
  private int pauses;

  /** What sessions ride on. */
  public enum Mode {
    /** TCP between two processes. */
    TCP,
    /** RDMA in one process, on devices in memory. */
    FABRIC,
    /** RDMA between two processes, on a device of this host. */
    DEVICE
  }

  /**
   * A soak.
   *
   * @param seed of faults and of their times
   * @param duration of traffic under faults, warm-up included
   */
  public Soak(Mode mode, long seed, Duration duration, PrintWriter out) {
    this.mode = mode;
    this.seed = seed;
    this.duration = duration;
    this.out = out;
    this.random = new SplittableRandom(seed);
  }

  /**
   * Runs it; returns whether every call and transfer is accounted for, and nothing grew.
   *
   * @param host where the server listens
   */
  public boolean run(String host) throws IOException, InterruptedException {
    say("%s, seed %d, %d s".formatted(mode, seed, duration.toSeconds()));
    keepQuiet();
    Path file = Scratch.file();
    try (Executions executions = new Executions(file);
        SoakWorld world = world(host, file, executions);
        ThrottledProxy line = new ThrottledProxy(URI.create("tcp://" + world.address()), FAST)) {
      UpgradeProvider real = world.upgrades();
      BreakableUpgrades upgrades = real == null ? null : new BreakableUpgrades(real);
      try (VerbenaClient client = client(upgrades)) {
        List<Session> sessions = new ArrayList<>();
        for (int i = 0; i < SESSIONS; i++) {
          sessions.add(client.connect(line.address()));
        }
        return run(world, line, upgrades, sessions, executions);
      }
    }
  }

  /** Of connections and one-way calls that are lost here there would be many warnings. */
  static void keepQuiet() {
    if (LoggerFactory.getLogger("io.verbena") instanceof Logger all) {
      all.setLevel(Level.ERROR);
    }
  }

  private SoakWorld world(String host, Path file, Executions executions) throws IOException {
    return switch (mode) {
      case TCP -> new ProcessWorld(host, file, null);
      case FABRIC -> new FabricSoak(seed, executions);
      case DEVICE -> new ProcessWorld(host, file, device());
    };
  }

  private static UpgradeProvider device() throws IOException {
    UpgradeProvider found = ChosenUpgrades.onClassPath();
    if (found == null || found.availability() instanceof UpgradeProvider.Availability.Unavailable) {
      throw new IOException("no verbs device here: './verbena lab' has one, or take --on fabric");
    }
    return found;
  }

  private static VerbenaClient client(@Nullable BreakableUpgrades upgrades) {
    VerbenaClient.Builder builder = VerbenaClient.builder().connectTimeout(BenchHost.OPENS_WITHIN);
    return (upgrades == null ? builder.path(PathPolicy.TCP_ONLY) : builder.upgrades(upgrades))
        .build();
  }

  private boolean run(
      SoakWorld world,
      ThrottledProxy line,
      @Nullable BreakableUpgrades upgrades,
      List<Session> sessions,
      Executions executions)
      throws IOException, InterruptedException {
    Path folder = Scratch.folder();
    Duration half = duration.dividedBy(2);
    SoakService service = SoakServiceRpc.client(sessions.getFirst());
    boolean calm = stint(half, world.hasProcess(), world, line, upgrades, sessions, folder);
    String kernelBefore = KernelResources.read();
    Held hereBefore = ProcessMemory.read();
    Held thereBefore = service.held();
    say("warm: " + words(upgrades));
    calm &= stint(half, false, world, line, upgrades, sessions, folder);
    Held here = ProcessMemory.read();
    Held there = service.held();
    String kernel = KernelResources.read();
    say("end: " + words(upgrades));

    List<String> findings = new ArrayList<>(account.judge(executions, ProcessMemory.lostNotes()));
    if (!calm) {
      findings.add(
          "not everything had ended, or returned to its path, " + CALM.toSeconds() + " s later");
    }
    if (!KernelResources.isFlat(kernelBefore, kernel)) {
      findings.add("the kernel held " + kernelBefore + ", and holds " + kernel);
    } else if (!kernel.isEmpty()) {
      say("the kernel held " + kernelBefore + ", and holds as much: " + kernel);
    }
    Growth client = new Growth("client", hereBefore, here);
    Growth server = new Growth("server", thereBefore, there);
    List<List<String>> rows = new ArrayList<>(List.of(Growth.heading()));
    rows.addAll(client.rows());
    if (world.hasProcess()) {
      rows.addAll(server.rows());
    }
    out.println(Tables.table(rows));
    findings.stream().limit(20).forEach(this::say);
    say(
        findings.isEmpty()
            ? "none lost, doubled or hung"
            : findings.size() + " findings; seed " + seed);
    return findings.isEmpty() && client.isFlat() && (server.isFlat() || !world.hasProcess());
  }

  private String words(@Nullable BreakableUpgrades upgrades) {
    String paths =
        upgrades == null ? "" : ", %,d RDMA paths broken off".formatted(upgrades.broken());
    return "%s; %d cuts, %d kills, %d stops%s"
        .formatted(account.words(), cuts, kills, pauses, paths);
  }

  private void say(String line) {
    out.println("soak: " + line);
    out.flush();
  }

  /** Traffic under faults, and then none of either; returns whether it came to rest. */
  private boolean stint(
      Duration time,
      boolean mayKill,
      SoakWorld world,
      ThrottledProxy line,
      @Nullable BreakableUpgrades upgrades,
      List<Session> sessions,
      Path folder)
      throws IOException, InterruptedException {
    SoakTraffic traffic = new SoakTraffic(sessions, account, folder, random.split());
    long until = System.nanoTime() + time.toNanos();
    while (System.nanoTime() - until < 0) {
      long slower = mode == Mode.DEVICE ? SLOWER_ON_DEVICE : 1;
      Thread.sleep(slower * random.nextInt(LEAST_BETWEEN_MILLIS, MOST_BETWEEN_MILLIS));
      fault(mayKill, world, line, upgrades);
    }
    boolean idle = traffic.end(CALM);
    return returned(sessions, upgrades != null) && idle;
  }

  private void fault(
      boolean mayKill, SoakWorld world, ThrottledProxy line, @Nullable BreakableUpgrades upgrades)
      throws IOException, InterruptedException {
    int dice = random.nextInt(20);
    if (dice == 0 && mayKill) {
      kills++;
      world.restart(random.nextInt(LONGEST_GAP_MILLIS));
    } else if (dice == 1 && world.hasProcess()) {
      pauses++;
      world.pause(random.nextInt(LONGEST_PAUSE_MILLIS));
    } else if (upgrades != null && dice < 17) {
      upgrades.breakAll();
    } else {
      cuts++;
      line.cut();
    }
  }

  /** Waits until calls go the way they should, and all that was owed is paid. */
  private static boolean returned(List<Session> sessions, boolean rdma)
      throws InterruptedException {
    long until = System.nanoTime() + CALM.toNanos();
    for (Session session : sessions) {
      SoakService service = SoakServiceRpc.client(session);
      while (!isThere(service) || !session.path().link().equals(rdma ? "rdma" : "tcp")) {
        if (System.nanoTime() - until > 0) {
          return false;
        }
        Thread.sleep(LOOK_MILLIS);
      }
    }
    Thread.sleep(LOOK_MILLIS * 10); // acknowledgements
    return true;
  }

  private static boolean isThere(SoakService service) {
    try {
      service.object();
      return true;
    } catch (RpcException e) {
      return false; // an attempt to connect that began while the server was stopped
    }
  }
}
