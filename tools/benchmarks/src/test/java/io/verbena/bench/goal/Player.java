package io.verbena.bench.goal;

import io.verbena.bench.load.Load;
import io.verbena.bench.report.Result;
import java.util.List;
import java.util.Set;

/** Has contestants take turns under a load. */
@FunctionalInterface
public interface Player {
  /**
   * Returns what came of it, for those of these names that are here.
   *
   * @throws IllegalStateException if a call failed or its answer was wrong
   */
  List<Result> play(Load load, Set<String> contestants) throws InterruptedException;
}
