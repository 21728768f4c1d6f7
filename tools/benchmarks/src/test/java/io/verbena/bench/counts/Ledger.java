package io.verbena.bench.counts;

import io.verbena.bench.verbena.Route;
import io.verbena.verbs.fabric.DeviceProfile;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Counts what opening a session and every load cost on a path. */
public final class Ledger {
  /** A load whose allocations have not fallen for so long is warm. */
  private static final long UNCHANGED_NANOS = 1_500_000_000L;

  private static final long MOST_NANOS = 8_000_000_000L;

  /** How often devices are found out, at the most. */
  private static final int LESSONS = 3;

  private Ledger() {}

  /** Returns what opening a session costs, the same in every run but over TCP. */
  public static List<Opening> opening(Route route) throws IOException {
    try (World world = new World(route, false)) {
      return world.openings();
    }
  }

  /** Returns what every load costs, the same in every run but over TCP, and but for the heap. */
  public static List<Counts> count(Route route) throws IOException {
    List<Counts> all = new ArrayList<>();
    for (StandardLoad load : StandardLoad.values()) {
      try (World world = new World(route, false)) {
        Counts _ = world.count(load); // makes what is made when it is first needed
        all.add(world.count(load));
      }
    }
    return all;
  }

  /**
   * Returns what a load costs where both ends have a device of this kind. What a device does
   * otherwise than it reports has cost some links by then.
   */
  public static Counts count(StandardLoad load, DeviceProfile device) throws IOException {
    try (World world = new World(Route.RDMA, false, device)) {
      for (int i = 0; i < LESSONS; i++) {
        Counts _ = world.count(load);
        world.untilOnRdma();
      }
      Counts counts = world.count(load);
      if (!world.isOnRdma()) {
        throw new IOException("the devices of " + device + " keep no link");
      }
      return counts;
    }
  }

  /**
   * Returns a load's counts with what it takes of the heap when all is warm. Loops poll meanwhile:
   * where they wait, the device in memory allocates.
   */
  public static Counts withHeap(Counts one) throws IOException {
    try (World world = new World(one.route(), true)) {
      return one.withHeapOf(warm(world, one.load()));
    }
  }

  /** The least of many rounds, since compiling and profiling allocate as well. */
  private static Counts warm(World world, StandardLoad load) {
    Counts least = world.count(load);
    long begun = System.nanoTime();
    long better = begun;
    for (long now = begun;
        now - better < UNCHANGED_NANOS && now - begun < MOST_NANOS;
        now = System.nanoTime()) {
      Counts next = world.count(load);
      if (next.allocated() < least.allocated()) {
        least = next;
        better = now;
      }
    }
    return least;
  }
}
