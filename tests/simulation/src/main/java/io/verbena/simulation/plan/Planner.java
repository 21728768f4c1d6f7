package io.verbena.simulation.plan;

import io.verbena.core.SessionLimits;
import io.verbena.rdma.RdmaSettings;
import io.verbena.simulation.plan.Plan.Between;
import io.verbena.simulation.plan.Step.Call;
import io.verbena.simulation.plan.Step.CallKind;
import io.verbena.simulation.plan.Step.Cut;
import io.verbena.simulation.plan.Step.CutKind;
import io.verbena.simulation.plan.Step.Fault;
import io.verbena.simulation.plan.Step.FaultKind;
import io.verbena.simulation.plan.Step.LandingKind;
import io.verbena.simulation.plan.Step.Move;
import io.verbena.simulation.plan.Step.MoveKind;
import io.verbena.simulation.plan.Step.Stage;
import io.verbena.simulation.world.HostSettings;
import io.verbena.simulation.world.Upgrades;
import io.verbena.verbs.fabric.DeviceProfile;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Draws a plan from a seed. */
public final class Planner {
  private static final int CALLS = 200;
  private static final int MOVES = 10;
  private static final int FAULTS = 3;
  private static final long MILLI = 1_000_000L;
  private static final List<FaultKind> DRAWN =
      List.copyOf(EnumSet.range(FaultKind.STREAM_RESET, FaultKind.CLIENT_RESTART));
  private static final long RAILS = 0x7a11_5006L;

  private final SplittableRandom random;

  /** The chance for later additions, so that all else of a seed stays as it was. */
  private final SplittableRandom added;

  private final long seed;
  private final List<Step> steps = new ArrayList<>();
  private final boolean rails;
  private long span;
  private int sessions;
  private long op;

  private Planner(long seed) {
    this.seed = seed;
    this.random = new SplittableRandom(seed);
    this.added = new SplittableRandom(~seed);
    this.rails = new SplittableRandom(~seed ^ RAILS).nextInt(4) == 0;
  }

  public static Plan of(long seed) {
    return new Planner(seed).plan();
  }

  private Plan plan() {
    boolean rdma = random.nextInt(4) != 0;
    boolean settles = rdma && random.nextInt(3) == 0;
    SessionLimits limits = limits(settles);
    List<HostSettings> servers = hosts(1 + random.nextInt(2), limits, rdma);
    List<HostSettings> clients = hosts(2, limits, rdma);
    List<Between> between = between(clients.size(), servers.size());
    sessions = between.size();
    span = (random.nextInt(3) == 0 ? 300 : 3_000) * MILLI;
    calls();
    moves();
    if (settles) {
      settling();
    } else if (random.nextInt(8) != 0) {
      faults();
    }
    steps.replaceAll(this::fromServer);
    if (steps.stream().noneMatch(Planner::killsProcess)) {
      steps.replaceAll(this::intoFile);
    }
    steps.replaceAll(this::cutSome);
    boolean bounded =
        Stream.concat(servers.stream(), clients.stream()).anyMatch(HostSettings::isBounded);
    new StreamPlanner(seed, sessions, span, bounded, op, steps).add();
    steps.sort(Comparator.comparingLong(Step::at));
    return new Plan(
        seed,
        random.nextLong(),
        servers,
        clients,
        between,
        4096 << random.nextInt(5),
        among(20_000, 200_000, 2 * MILLI, 20 * MILLI),
        among(1_000_000_000L, 100_000_000, 12_500_000),
        steps);
  }

  private List<Between> between(int clients, int servers) {
    List<Between> made = new ArrayList<>();
    for (int client = 0; client < clients; client++) {
      for (int i = 1 + random.nextInt(2); i > 0; i--) {
        made.add(new Between(client, random.nextInt(servers)));
      }
    }
    if (made.size() < 3) {
      made.add(new Between(0, random.nextInt(servers)));
    }
    return made;
  }

  private long among(long... values) {
    return values[random.nextInt(values.length)];
  }

  /** Returns the limits of sessions. Plans for changes of path keep few replies. */
  private SessionLimits limits(boolean keepsFew) {
    long ping = among(100, 300, 1_000);
    return SessionLimits.DEFAULT
        .withDefaultTimeout(Duration.ofMillis(among(2_000, 5_000)))
        .withMaxCalls((int) among(64, 96, 256))
        .withMaxMessageBytes(1 << 20)
        .withMaxKeptBytes(
            keepsFew ? among(0, 4 << 10, 64 << 10) : among(64 << 10, 1 << 20, 64 << 20))
        .withKeepalive(Duration.ofMillis(ping), Duration.ofMillis(3 * ping))
        .withLeastPingInterval(Duration.ofMillis(ping))
        .withResumeWindow(Duration.ofMillis(among(500, 2_000, 5_000)));
  }

  private List<HostSettings> hosts(int count, SessionLimits limits, boolean rdma) {
    List<HostSettings> made = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      boolean bounded = random.nextInt(3) == 0;
      made.add(
          new HostSettings(
              limits,
              bounded ? 2 + random.nextInt(3) : HostSettings.UNBOUNDED,
              bounded ? (int) among(0, 4, 32, 1_000) : HostSettings.UNBOUNDED,
              rdma && random.nextInt(8) != 0 ? Upgrades.RDMA : Upgrades.NONE,
              rdmaSettings(),
              profile(),
              among(1 << 20, 1 << 20, 8 << 20, 64 << 20),
              largeValueBytes(),
              rails,
              0));
    }
    return made;
  }

  private int largeValueBytes() {
    long _ = random.nextLong(); // unused, but drawn so that seeds keep their plans
    return (int) among(16 << 10, 64 << 10);
  }

  private RdmaSettings rdmaSettings() {
    RdmaSettings made = RdmaSettings.DEFAULT.withSlotBytes((int) among(1024, 8192));
    made = made.withCredits((int) among(4, 16, 32));
    made = made.withAckTimeout((int) among(10, 13, 15));
    int chunk = (int) among(4096, 16384, 65536);
    made = made.withBulk(chunk, chunk * (int) among(1, 2, 8));
    return random.nextInt(4) == 0 ? made.withMaxPinnedBytes(4 << 20) : made;
  }

  private DeviceProfile profile() {
    DeviceProfile full = DeviceProfile.full();
    return switch (random.nextInt(8)) {
      case 0 -> full.withoutSrq();
      case 1 -> full.withoutMemoryWindows();
      case 2 -> full.withWindows(DeviceProfile.Windows.UNBOUNDED);
      case 3 -> full.withoutWriteWithImmediate();
      case 4 -> full.withMaxInline(0);
      case 5 -> full.withMemlock(8 << 20);
      default -> full;
    };
  }

  private long when() {
    return random.nextLong(span);
  }

  private long timeout() {
    return switch (random.nextInt(6)) {
      case 0 -> MILLI * (1 + random.nextInt(20));
      case 1 -> MILLI * (20 + random.nextInt(400));
      default -> 0;
    };
  }

  private long cancelAfter() {
    return random.nextInt(10) == 0 ? random.nextLong(among(100_000, 2 * MILLI, 100 * MILLI)) : -1;
  }

  private void calls() {
    CallKind[] kinds = {
      CallKind.COUNT, CallKind.COUNT, CallKind.COUNT, CallKind.COUNT_NOW, CallKind.COUNT_NOW,
      CallKind.ECHO, CallKind.ECHO, CallKind.NOTE, CallKind.TOUR, CallKind.WORK,
      CallKind.FAIL_DECLARED, CallKind.FAIL, CallKind.READ
    };
    int left = CALLS + random.nextInt(50);
    while (left > 0) {
      long at = when();
      int session = random.nextInt(sessions);
      for (int burst = Math.min(left, 1 + random.nextInt(12)); burst > 0; burst--, left--) {
        CallKind kind = kinds[random.nextInt(kinds.length)];
        long cancel = kind == CallKind.NOTE ? -1 : cancelAfter();
        steps.add(new Call(at, session, ++op, kind, amount(kind), timeout(), cancel));
        at += random.nextInt(200_000);
      }
    }
  }

  private long amount(CallKind kind) {
    return switch (kind) {
      case ECHO -> random.nextInt(3) == 0 ? random.nextInt(200_000) : random.nextInt(600);
      case TOUR -> 1 + random.nextInt(4);
      case WORK -> random.nextLong(among(MILLI, 50 * MILLI, 1_000 * MILLI));
      case READ -> 1 + random.nextInt(100_000);
      default -> 0;
    };
  }

  private void moves() {
    for (int i = MOVES + random.nextInt(5); i > 0; i--) {
      int length = 1 + random.nextInt((int) among(3_000, 100_000, 600_000));
      move(when(), random.nextInt(sessions), length);
    }
  }

  private void move(long at, int session, int length) {
    LandingKind[] landings = {LandingKind.MEMORY, LandingKind.POOLED, LandingKind.CHUNKS};
    steps.add(
        new Move(
            at,
            session,
            ++op,
            random.nextBoolean() ? MoveKind.FETCH : MoveKind.PUSH,
            landings[random.nextInt(landings.length)],
            length,
            random.nextBoolean(),
            random.nextInt(6) == 0 ? 1 + random.nextLong(300 * MILLI) : 0,
            cancelAfter(),
            null));
  }

  /** Lets the server begin some transfers. */
  private Step fromServer(Step step) {
    return step instanceof Move move && added.nextInt(3) == 0 ? move.back() : step;
  }

  /** Returns whether a step kills a process. All run in this process, so files would stay open. */
  private static boolean killsProcess(Step step) {
    return step instanceof Fault fault
        && (fault.kind() == FaultKind.SERVER_RESTART || fault.kind() == FaultKind.CLIENT_RESTART);
  }

  /** Lets some objects land in files. */
  private Step intoFile(Step step) {
    return step instanceof Move move && added.nextInt(4) == 0 ? move.into(LandingKind.FILE) : step;
  }

  /** Cuts some transfers at a stage. */
  private Step cutSome(Step step) {
    return switch (step) {
      case Move move when added.nextInt(4) == 0 -> {
        Cut cut = cut(move.kind().isPush());
        yield move.cut(cut, limit(cut));
      }
      case Call call when hasObject(call) && added.nextInt(8) == 0 -> {
        Cut cut = cut(false);
        yield call.cut(cut, limit(cut));
      }
      default -> step;
    };
  }

  private static boolean hasObject(Call call) {
    return call.kind() == CallKind.READ || (call.kind() == CallKind.ECHO && call.amount() > 1_000);
  }

  /** Draws a cut. Either end may end a push, and a push may be whole before its sender knows. */
  private Cut cut(boolean pushed) {
    Stage[] stages = Stage.values();
    Stage stage = stages[added.nextInt(stages.length)];
    return new Cut(
        stage == Stage.TAKEN && !pushed ? Stage.ALL_LANDED : stage,
        switch (added.nextInt(pushed ? 4 : 3)) {
          case 0, 1 -> CutKind.CANCELLED_HERE;
          case 2 -> CutKind.OUT_OF_TIME;
          default -> CutKind.CANCELLED_THERE;
        });
  }

  /** Draws a short limit, so that a process that stands still as long is not taken for dead. */
  private long limit(Cut cut) {
    long[] limits = {5 * MILLI, 30 * MILLI, 120 * MILLI};
    return cut.kind() == CutKind.OUT_OF_TIME ? limits[added.nextInt(limits.length)] : 0;
  }

  private void faults() {
    for (int i = FAULTS + random.nextInt(3); i > 0; i--) {
      Phase[] phases = Phase.values();
      Phase aim = random.nextBoolean() ? phases[random.nextInt(phases.length)] : null;
      fault(when(), anyFault(), random.nextInt(sessions), lasts(), aim);
    }
  }

  /**
   * Draws faults that all hit the changes of path of one session: on its first upgrade, then after
   * each loss of its link on the way back and on the next upgrade.
   */
  private void settling() {
    int session = random.nextInt(sessions);
    long at = 0;
    fault(at, anyFault(), session, lasts(), either(Phase.UPGRADING, Phase.UPGRADING_WITH_BULK));
    for (int rounds = 1 + random.nextInt(2); rounds > 0; rounds--) {
      at = when();
      for (int i = 3; i > 0; i--) {
        move(at + random.nextLong(20 * MILLI), session, 200_000 + random.nextInt(400_000));
      }
      long shortly = 1 + random.nextLong(among(2, 20, 200) * MILLI);
      fault(at, breaker(), session, shortly, either(Phase.BETTER, Phase.BETTER_WITH_BULK));
      fault(
          at, anyFault(), session, lasts(), either(Phase.BETTER_LOST, Phase.BETTER_LOST_WITH_BULK));
      at += MILLI;
      fault(at, anyFault(), session, lasts(), either(Phase.UPGRADING, Phase.UPGRADING_WITH_BULK));
    }
  }

  private Phase either(Phase one, Phase other) {
    return random.nextBoolean() ? one : other;
  }

  /** Draws a fault, except those that were added later. */
  private FaultKind anyFault() {
    return DRAWN.get(random.nextInt(DRAWN.size()));
  }

  /** Draws a fault that ends a session's RDMA link. */
  private FaultKind breaker() {
    return switch (random.nextInt(5)) {
      case 0 -> FaultKind.FABRIC_CUT;
      case 1 -> FaultKind.DEVICE_REMOVED;
      case 2 -> FaultKind.DEVICE_BREAKS;
      case 3 -> FaultKind.BOTH_LINKS;
      default -> FaultKind.COMPLETION_ERRORS;
    };
  }

  private long lasts() {
    return random.nextLong(among(5 * MILLI, 100 * MILLI, 1_000 * MILLI, 4_000 * MILLI));
  }

  private void fault(long at, FaultKind kind, int session, long nanos, @Nullable Phase aim) {
    steps.add(new Fault(at, kind, session, nanos, random.nextLong(1L << 32), aim));
  }
}
