package io.verbena.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.simulation.check.Journal.Result;
import io.verbena.simulation.plan.Plan;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Acts of one client change nothing about the calls of others but their time. */
@Tag("long")
class IsolationTest {
  /** A round trip on the slowest line, several times over, and a call's wait for a busy handler. */
  private static final long BOUND_NANOS = 250_000_000;

  private static final Plan PLAN = Workload.PATIENT.of(4);
  private static final Outcome QUIET = Simulation.run(PLAN, null);

  /** Of these calls and transfers. */
  private static Map<Long, String> ends(Set<Long> ops, Outcome outcome) {
    Map<Long, String> ends = new TreeMap<>();
    for (long op : ops) {
      Result result = outcome.results().get(op);
      ends.put(op, result == null ? "was not made" : result.what());
    }
    return ends;
  }

  @ParameterizedTest
  @EnumSource
  void othersResultsAreTheSame(Mischief mischief) {
    Outcome disturbed = Simulation.run(PLAN, mischief, null);
    assertThat(QUIET.violations()).isEmpty();
    assertThat(disturbed.violations()).isEmpty();
    Map<Long, Result> judged = disturbed.results();
    assertThat(judged).as("others' calls and transfers").hasSizeGreaterThan(50);
    assertThat(ends(judged.keySet(), disturbed)).isEqualTo(ends(judged.keySet(), QUIET));
    judged.forEach(
        (op, result) ->
            assertThat(result.nanos() - Objects.requireNonNull(QUIET.results().get(op)).nanos())
                .as("what op %d of %s took longer", op, result.session())
                .isLessThan(BOUND_NANOS));
  }
}
