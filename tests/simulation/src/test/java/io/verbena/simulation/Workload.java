package io.verbena.simulation;

import io.verbena.api.region.Regions;
import io.verbena.simulation.plan.Plan;
import io.verbena.simulation.plan.PlanKind;
import io.verbena.simulation.plan.Planner;
import io.verbena.simulation.plan.ShmPlanner;
import io.verbena.simulation.plan.Step;
import io.verbena.simulation.plan.Step.Call;
import io.verbena.simulation.plan.Step.CallKind;
import io.verbena.simulation.plan.Step.Chain;
import io.verbena.simulation.plan.Step.Expose;
import io.verbena.simulation.plan.Step.Fault;
import io.verbena.simulation.plan.Step.FaultKind;
import io.verbena.simulation.plan.Step.LandingKind;
import io.verbena.simulation.plan.Step.Move;
import io.verbena.simulation.plan.Step.MoveKind;
import io.verbena.simulation.plan.Step.Reach;
import io.verbena.simulation.plan.Step.ReachKind;
import io.verbena.simulation.plan.Step.Stream;
import io.verbena.simulation.plan.Step.StreamEnding;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** The work of a seed's hosts and sessions. */
enum Workload {
  /** As the planner draws it. */
  DRAWN,

  /** The same, but nobody loses patience, and nothing goes wrong. */
  PATIENT {
    @Override
    List<Step> steps(Plan drawn, SplittableRandom random) {
      List<Step> steps = new ArrayList<>();
      for (Step step : drawn.steps()) {
        switch (step) {
          case Call call ->
              steps.add(
                  new Call(
                      call.at(), call.session(), call.op(), call.kind(), call.amount(), 0, -1));
          case Move move ->
              steps.add(
                  new Move(
                      move.at(),
                      move.session(),
                      move.op(),
                      move.kind(),
                      move.landing(),
                      move.length(),
                      move.checksum(),
                      0,
                      -1,
                      null));
          case Stream stream when stream.ending() == StreamEnding.WELL ->
              steps.add(
                  new Stream(
                      stream.at(),
                      stream.session(),
                      stream.op(),
                      stream.kind(),
                      StreamEnding.WELL,
                      StreamEnding.WELL,
                      stream.items(),
                      stream.itemBytes(),
                      0,
                      stream.ask(),
                      stream.pace(),
                      stream.rest(),
                      0,
                      -1));
          case Chain chain ->
              steps.add(
                  new Chain(
                      chain.at(), chain.session(), chain.op(), chain.calls(), chain.gap(), 0));
          case Stream _ -> {}
          case Expose _ -> {}
          case Reach _ -> {}
          case Fault _ -> {}
        }
      }
      return steps;
    }
  },

  /**
   * Objects both ways, most of them cancelled on their way, and nothing else goes wrong. They go to
   * memory that outlives the run: what is written there too late is seen, and ends no JVM.
   */
  CANCELLED_OBJECTS {
    @Override
    List<Step> steps(Plan drawn, SplittableRandom random) {
      List<Step> steps = new ArrayList<>();
      for (Step step : drawn.steps()) {
        if (step instanceof Call call && steps.size() < 60) {
          long at = random.nextLong(SHORT_NANOS);
          MoveKind kind = random.nextBoolean() ? MoveKind.PUSH : MoveKind.FETCH;
          int length = 50_000 + random.nextInt(150_000);
          long cancel = random.nextInt(4) == 0 ? -1 : random.nextLong(2_000_000);
          steps.add(
              new Move(
                  at,
                  call.session(),
                  call.op(),
                  kind,
                  LandingKind.MEMORY,
                  length,
                  true,
                  0,
                  cancel,
                  null));
        }
      }
      return steps;
    }
  },

  /**
   * Each session's first change of path is slow, and lost on its way amid calls: one end has left
   * the first link, and the other sends by it until it hears that there is something to settle.
   */
  SETTLING {
    @Override
    List<Step> steps(Plan drawn, SplittableRandom random) {
      List<Step> steps = new ArrayList<>();
      long[] next = new long[drawn.sessions().size()];
      for (int session = 0; session < next.length; session++) {
        long opened = session * SECOND;
        next[session] = opened;
        steps.add(new Fault(0, FaultKind.STREAM_DELAY, session, LONG_NANOS, 20_000_000));
        steps.add(new Fault(0, FaultKind.FABRIC_DELAY, session, LONG_NANOS, 60_000_000));
        long lost = opened + 240_000_000 + random.nextLong(120_000_000);
        steps.add(new Fault(lost, FaultKind.DEVICE_REMOVED, session, 1_000_000, random.nextInt(2)));
      }
      for (Step step : drawn.steps()) {
        if (step instanceof Call call) {
          CallKind kind = random.nextBoolean() ? CallKind.TOUR : CallKind.COUNT;
          long at = next[call.session()];
          next[call.session()] += random.nextLong(10_000_000);
          steps.add(new Call(at, call.session(), call.op(), kind, 1 + random.nextInt(30), 0, -1));
        }
      }
      return steps;
    }
  },

  /** Memory is exposed and reached, as the planner of regions draws it, and nothing else. */
  REGIONS {
    @Override
    List<Step> steps(Plan drawn, SplittableRandom random) {
      return drawn.steps().stream()
          .filter(step -> !(step instanceof Call || step instanceof Move))
          .toList();
    }

    @Override
    Plan of(long seed) {
      Plan drawn = PlanKind.REGIONS.of(seed);
      return drawn.withSteps(steps(drawn, new SplittableRandom(seed)));
    }
  },

  /** Messages are compressed, as the planner of those draws it. */
  COMPRESSED {
    @Override
    Plan of(long seed) {
      return PlanKind.COMPRESSED.of(seed);
    }
  },

  /** Callers block and step event loops, as the planner of those draws it; nothing goes wrong. */
  CALLERS {
    @Override
    Plan of(long seed) {
      Plan drawn = PlanKind.CALLERS.of(seed);
      return drawn.withSteps(PATIENT.steps(drawn, new SplittableRandom(seed)));
    }
  },

  /** Each session's device is removed while what it has written is yet to be acknowledged. */
  REGIONS_LOST {
    @Override
    List<Step> steps(Plan drawn, SplittableRandom random) {
      List<Step> steps = new ArrayList<>();
      for (int session = 0; session < drawn.sessions().size(); session++) {
        long region = region(session, 1_000_000, steps);
        long op = region;
        for (int warm = 1; warm <= 6; warm++) {
          steps.add(reach(warm * 60_000_000L, session, ++op, region, ReachKind.GET_PUT));
        }
        long at = 400_000_000;
        steps.add(new Fault(at, FaultKind.FABRIC_DELAY, session, LONG_NANOS, 20_000_000));
        steps.add(new Fault(at + 75_000_000, FaultKind.DEVICE_REMOVED, session, 1_000_000, 0));
        at += 50_000_000;
        for (int i = 0; i < 40; i++) {
          at += random.nextLong(500_000);
          steps.add(reach(at, session, ++op, region, ReachKind.PUT));
        }
        steps.add(reach(2 * SECOND, session, ++op, region, ReachKind.GET_PUT));
      }
      return steps;
    }
  },

  /** What {@link #SETTLING} does, amid what is done with words of the peer's. */
  REGIONS_SETTLING {
    @Override
    List<Step> steps(Plan drawn, SplittableRandom random) {
      List<Step> steps = new ArrayList<>();
      for (Step step : SETTLING.steps(drawn, random)) {
        if (step instanceof Fault) {
          steps.add(step);
        }
      }
      for (int session = 0; session < drawn.sessions().size(); session++) {
        long at = session * SECOND;
        long region = region(session, at, steps);
        long op = region;
        for (int i = 0; i < 90; i++) {
          at += random.nextLong(10_000_000);
          steps.add(reach(at, session, ++op, region, ReachKind.ADD));
        }
      }
      return steps;
    }
  },

  /** Better links are lost as soon as they are there, again and again, by chance with the first. */
  FLAPPING {
    @Override
    List<Step> steps(Plan drawn, SplittableRandom random) {
      List<Step> steps = new ArrayList<>();
      for (int session = 0; session < drawn.sessions().size(); session++) {
        steps.add(new Call(0, session, session, CallKind.COUNT, 0, 0, -1));
      }
      for (long at = 0; at < LONG_NANOS; at += 100_000_000 + random.nextLong(200_000_000)) {
        int session = random.nextInt(drawn.sessions().size());
        steps.add(new Fault(at, FaultKind.DEVICE_REMOVED, session, 1_000_000, random.nextInt(2)));
        if (random.nextBoolean()) {
          steps.add(new Fault(at, FaultKind.STREAM_RESET, session, 0, 0));
        }
      }
      return steps;
    }
  },

  /** Each session's server stands still, so shortly that nobody minds. */
  STANDING_STILL {
    @Override
    List<Step> steps(Plan drawn, SplittableRandom random) {
      List<Step> steps = new ArrayList<>();
      for (int session = 0; session < drawn.sessions().size(); session++) {
        steps.add(new Call(0, session, session, CallKind.COUNT, 0, 0, -1));
        long at = (session + 1) * SECOND;
        steps.add(new Fault(at, FaultKind.SERVER_STANDS_STILL, session, 60_000_000, 0));
      }
      return steps;
    }
  },

  SHM(DRAWN),
  SHM_PATIENT(PATIENT),
  SHM_CANCELLED_OBJECTS(CANCELLED_OBJECTS),
  SHM_STANDING_STILL(STANDING_STILL);

  private static final long SHORT_NANOS = 100_000_000L;
  private static final long SECOND = 1_000_000_000L;
  private static final long LONG_NANOS = 5_000_000_000L;

  /** The one that it is over shared memory; null: it is over RDMA. */
  private final @Nullable Workload same;

  Workload() {
    this.same = null;
  }

  Workload(Workload same) {
    this.same = same;
  }

  /** Adds an exposure for good; returns its number. */
  private static long region(int session, long at, List<Step> steps) {
    long op = 1_000_000L + 1_000L * session;
    int all = Regions.READ | Regions.WRITE | Regions.ATOMIC;
    steps.add(new Expose(at, session, op, false, false, all, 1_000 * SECOND, -1, -1));
    return op;
  }

  private static Reach reach(long at, int session, long op, long region, ReachKind kind) {
    return new Reach(at, session, op, region, kind, (int) (op % 2), 0, -1);
  }

  List<Step> steps(Plan drawn, SplittableRandom random) {
    return drawn.steps();
  }

  Plan of(long seed) {
    if (same != null) {
      return ShmPlanner.of(same.of(seed));
    }
    Plan drawn = Planner.of(seed);
    List<Step> steps = new ArrayList<>(steps(drawn, new SplittableRandom(seed)));
    steps.sort(Comparator.comparingLong(Step::at));
    return drawn.withSteps(steps);
  }
}
