package io.verbena.simulation.plan;

import io.verbena.simulation.plan.Step.Fault;
import io.verbena.simulation.plan.Step.FaultKind;
import io.verbena.simulation.plan.Step.StreamEnding;
import io.verbena.simulation.plan.Step.StreamKind;
import java.util.List;
import java.util.SplittableRandom;

/** Adds calls with streams to a plan, and servers that shut down under them. */
final class StreamPlanner {
  private static final int STREAMS = 6;
  private static final long MILLI = 1_000_000L;

  private final SplittableRandom random;
  private final int sessions;
  private final long span;
  private final boolean bounded;
  private final List<Step> steps;
  private long op;

  /**
   * Makes a planner for a plan with other steps.
   *
   * @param bounded whether hosts have few threads for handlers. Handlers then do not wait for items
   *     for ever
   * @param op the last used number
   */
  StreamPlanner(long seed, int sessions, long span, boolean bounded, long op, List<Step> steps) {
    this.random = new SplittableRandom(seed ^ 0x6a09e667f3bcc908L);
    this.sessions = sessions;
    this.span = span;
    this.bounded = bounded;
    this.op = op;
    this.steps = steps;
  }

  void add() {
    boolean goesWrong = steps.stream().anyMatch(Fault.class::isInstance);
    for (int i = STREAMS + random.nextInt(8); i > 0; i--) {
      steps.add(stream());
    }
    if (goesWrong && random.nextInt(4) == 0) {
      long lasts = MILLI * (1 + random.nextInt(500));
      long at = random.nextLong(span);
      int session = random.nextInt(sessions);
      Phase[] phases = Phase.values();
      Phase aim = random.nextBoolean() ? phases[random.nextInt(phases.length)] : null;
      steps.add(new Fault(at, FaultKind.SERVER_DRAINS, session, lasts, 0, aim));
    }
  }

  private Step.Stream stream() {
    StreamKind[] kinds = StreamKind.values();
    StreamKind kind = kinds[random.nextInt(kinds.length)];
    boolean large = random.nextInt(4) == 0;
    int items = random.nextInt(large ? 20 : (int) among(3, 40, 900));
    return new Step.Stream(
        random.nextLong(span),
        random.nextInt(sessions),
        ++op,
        kind,
        ending(kind),
        ending(StreamKind.EXCHANGE),
        items,
        random.nextInt(large ? 150_000 : (int) among(20, 3_000)),
        random.nextInt(items + 1),
        among(1, 3, 64, 300, Long.MAX_VALUE),
        pace(items),
        random.nextInt(3) == 0 ? random.nextLong(5 * MILLI) : 0,
        timeout(kind),
        random.nextInt(6) == 0
            ? random.nextLong(among(2 * MILLI, 100 * MILLI, 1_000 * MILLI))
            : -1);
  }

  private StreamEnding ending(StreamKind kind) {
    return switch (random.nextInt(10)) {
      case 0, 1 -> StreamEnding.CANCELLED;
      case 2 -> StreamEnding.FAILED;
      case 3 -> kind.answers() ? StreamEnding.SILENT : StreamEnding.LEFT;
      case 4 -> StreamEnding.LEFT;
      case 5 -> kind.hasArguments() ? StreamEnding.WELL : StreamEnding.IGNORED;
      default -> StreamEnding.WELL;
    };
  }

  /** Draws a pace at which many streams last until a fault hits them. */
  private long pace(int items) {
    return random.nextInt(3) == 0 ? 0 : random.nextLong(2 * span / (items + 1) + 1);
  }

  private long timeout(StreamKind kind) {
    boolean must = bounded && !kind.answers();
    return must || random.nextInt(4) == 0
        ? MILLI * (1 + random.nextInt((int) among(20, 3_000)))
        : 0;
  }

  private long among(long... values) {
    return values[random.nextInt(values.length)];
  }
}
