package io.verbena.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.simulation.plan.Plan;
import io.verbena.testkit.planted.PlantedLoader;
import io.verbena.testkit.planted.Slip;
import java.lang.reflect.Method;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The test of the test: a product that is made wrong in one place is found out. */
class PlantedFaultsTest {
  /** Called by reflection, in a loader of its own: says what broke, or nothing. */
  static String run(String workload, String mischief, long seed) {
    Plan plan = Workload.valueOf(workload).of(seed);
    Outcome outcome =
        Simulation.run(plan, mischief.isEmpty() ? null : Mischief.valueOf(mischief), null);
    return outcome.isClean() ? "" : outcome.violations().getFirst().toString();
  }

  @ParameterizedTest
  @EnumSource
  void changesTheProduct(Planted fault) throws Exception {
    PlantedLoader loader = new PlantedLoader(fault.slips());
    for (Slip slip : fault.slips()) {
      loader.loadClass(slip.owner());
    }
    assertThat(loader.missing()).as("slips that find nothing to change").isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  @Tag("long")
  void isFound(Planted fault) throws Exception {
    PlantedLoader loader = new PlantedLoader(fault.slips());
    Method run =
        loader
            .loadClass(PlantedFaultsTest.class.getName())
            .getDeclaredMethod("run", String.class, String.class, long.class);
    run.setAccessible(true);
    String found = "";
    long seed = fault.first() - 1;
    while (found.isEmpty() && ++seed < fault.first() + fault.seeds()) {
      found = (String) run.invoke(null, fault.workload().name(), fault.mischief(), seed);
      found = found.startsWith(fault.rule()) ? found : "";
    }
    assertThat(found)
        .as("%s, by %d seeds from %d", fault, fault.seeds(), fault.first())
        .isNotEmpty();
    System.out.println(fault + " was found by seed " + seed + ": " + found);
  }
}
