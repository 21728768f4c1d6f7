package io.verbena.simulation.plan;

import static io.verbena.simulation.plan.Step.ReachKind.ADD;
import static io.verbena.simulation.plan.Step.ReachKind.EXCHANGE;
import static io.verbena.simulation.plan.Step.ReachKind.GET_ADDED;
import static io.verbena.simulation.plan.Step.ReachKind.GET_BEYOND;
import static io.verbena.simulation.plan.Step.ReachKind.GET_EXCHANGED;
import static io.verbena.simulation.plan.Step.ReachKind.GET_LONG;
import static io.verbena.simulation.plan.Step.ReachKind.GET_PAIR;
import static io.verbena.simulation.plan.Step.ReachKind.GET_PUT;
import static io.verbena.simulation.plan.Step.ReachKind.PUT;
import static io.verbena.simulation.plan.Step.ReachKind.PUT_PAIR;
import static io.verbena.simulation.plan.Step.ReachKind.SET;
import static io.verbena.simulation.plan.Step.ReachKind.WITHOUT_RIGHT;
import static io.verbena.simulation.plan.Step.ReachKind.WITH_WRONG_KEY;

import io.verbena.api.region.Regions;
import io.verbena.simulation.plan.Step.Call;
import io.verbena.simulation.plan.Step.Expose;
import io.verbena.simulation.plan.Step.Fault;
import io.verbena.simulation.plan.Step.Move;
import io.verbena.simulation.plan.Step.Reach;
import io.verbena.simulation.plan.Step.ReachKind;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Draws a plan with regions from a seed. It has the hosts, sessions and faults of the seed's plain
 * plan, some of its calls and objects, and memory that one end exposes and the other accesses.
 */
final class RegionPlanner {
  private static final int ALL = Regions.READ | Regions.WRITE | Regions.ATOMIC;
  private static final int EXPOSED = 8;
  private static final int BURSTS = 25;
  private static final int LONGEST_BURST = 8;
  private static final int BUSY = 30;

  /** After this number of requests, the device does all requests that it can do. */
  private static final int WARM = 4;

  private static final long MILLI = 1_000_000L;
  private static final long HOUR = 3_600_000 * MILLI;

  /** The kinds of requests. More frequent kinds are listed more than once. */
  private static final ReachKind[] KINDS = {
    ADD, ADD, EXCHANGE, EXCHANGE, SET, PUT, PUT,
    GET_ADDED, GET_EXCHANGED, GET_PUT, GET_PUT, PUT_PAIR, PUT_PAIR, PUT_PAIR,
    GET_PAIR, GET_PAIR, GET_PAIR, GET_LONG, GET_BEYOND, WITHOUT_RIGHT, WITH_WRONG_KEY
  };

  private static final ReachKind[] BUSY_KINDS = {
    PUT, PUT, PUT_PAIR,
    PUT_PAIR, GET_PAIR, GET_PUT,
    GET_LONG, ADD, EXCHANGE
  };

  private final SplittableRandom random;
  private final List<Step> steps = new ArrayList<>();
  private final Plan drawn;
  private final long span;
  private long op;

  private RegionPlanner(long seed) {
    random = new SplittableRandom(seed ^ 0x4e610_5L);
    drawn = Planner.of(seed);
    long last = 0;
    for (Step step : drawn.steps()) {
      last = step instanceof Call ? step.at() : last;
    }
    span = last + MILLI;
  }

  static Plan of(long seed) {
    return new RegionPlanner(seed).plan();
  }

  private Plan plan() {
    for (Step step : drawn.steps()) {
      boolean kept =
          switch (step) {
            case Fault _ -> true;
            case Call _ -> random.nextInt(4) == 0;
            case Move _ -> random.nextInt(3) == 0;
            default -> false;
          };
      if (kept) {
        steps.add(step);
      }
    }
    op = 1_000_000;
    List<Expose> all = new ArrayList<>();
    for (int i = EXPOSED + random.nextInt(6); i > 0; i--) {
      all.add(expose());
    }
    steps.addAll(all);
    for (int i = BURSTS; i > 0; i--) {
      burst(all.get(random.nextInt(all.size())));
    }
    for (Expose region : all) {
      if (region.closeAfter() >= 0 || random.nextInt(3) == 0) {
        busy(region, region.at() + Math.max(region.closeAfter(), 20 * MILLI));
      }
    }
    for (Fault fault : drawn.faults()) {
      all.stream()
          .filter(region -> region.session() == fault.session() && region.at() < fault.at())
          .findFirst()
          .ifPresent(region -> busy(region, fault.at()));
    }
    steps.sort(Comparator.comparingLong(Step::at));
    return drawn.withSteps(steps);
  }

  private Expose expose() {
    long at = random.nextLong(random.nextBoolean() ? 50 * MILLI : span);
    long shortly = 1 + random.nextLong(random.nextBoolean() ? 30 * MILLI : span);
    boolean leased = random.nextInt(3) == 0;
    return new Expose(
        at,
        random.nextInt(drawn.sessions().size()),
        ++op,
        random.nextInt(3) == 0,
        random.nextBoolean(),
        access(),
        leased ? shortly : HOUR,
        leased && random.nextBoolean() ? random.nextLong(shortly) : -1,
        random.nextInt(3) == 0 ? shortly : -1);
  }

  private int access() {
    return switch (random.nextInt(6)) {
      case 0 -> Regions.READ;
      case 1 -> Regions.READ | Regions.ATOMIC;
      default -> ALL;
    };
  }

  /** Uses a region again and again, while events happen to it or to its session. */
  private void busy(Expose region, long when) {
    for (int i = WARM; i > 0; i--) {
      reach(Math.max(region.at() + 1, when - 5 * MILLI * i), region, GET_PUT);
    }
    long at = Math.max(region.at() + 1, when - random.nextLong(MILLI));
    long gap = random.nextBoolean() ? 20_000 : 200_000;
    for (int i = BUSY; i > 0; i--) {
      reach(at, region, BUSY_KINDS[random.nextInt(BUSY_KINDS.length)]);
      at += random.nextLong(gap);
    }
  }

  private void reach(long at, Expose region, ReachKind kind) {
    steps.add(new Reach(at, region.session(), ++op, region.op(), kind, random.nextInt(2), 0, -1));
  }

  private void burst(Expose region) {
    long at = region.at() + 1 + random.nextLong(random.nextBoolean() ? 60 * MILLI : span);
    long gap = random.nextBoolean() ? 20_000 : 2 * MILLI;
    for (int i = 1 + random.nextInt(LONGEST_BURST); i > 0; i--) {
      steps.add(
          new Reach(
              at,
              region.session(),
              ++op,
              region.op(),
              KINDS[random.nextInt(KINDS.length)],
              random.nextInt(2),
              random.nextInt(6) == 0 ? MILLI * (1 + random.nextInt(100)) : 0,
              random.nextInt(16) == 0 ? random.nextLong(MILLI) : -1));
      at += random.nextLong(gap);
    }
  }
}
