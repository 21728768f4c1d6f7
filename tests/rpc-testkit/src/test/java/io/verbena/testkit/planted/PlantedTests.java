package io.verbena.testkit.planted;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;
import org.junit.platform.launcher.listeners.TestExecutionSummary.Failure;

/** Runs a test of the module under test while something is planted in the product. */
public final class PlantedTests {
  private PlantedTests() {}

  /**
   * Checks that a test finds what is planted, and that each slip has changed something.
   *
   * @param test a test's method, as {@code rdma.OtherDevicesTest#aSlowReaderLosesNothing}, after
   *     {@code io.verbena.}
   */
  public static void assertFound(String fault, List<Slip> slips, String test) {
    PlantedLoader loader = new PlantedLoader(slips);
    TestExecutionSummary summary = run(loader, test);
    assertThat(loader.missing()).as("slips that find nothing to change").isEmpty();
    List<Failure> failures = summary.getFailures();
    assertThat(failures).as("%s, by %s", fault, test).isNotEmpty();
    System.out.println(
        "%s was found by %s: %s".formatted(fault, test, firstLine(failures.getFirst())));
  }

  /** Checks that a test passes in the same way while nothing is planted. */
  public static void assertPasses(String test) {
    TestExecutionSummary summary = run(new PlantedLoader(List.of()), test);
    assertThat(summary.getFailures()).as(test).isEmpty();
    assertThat(summary.getTestsSucceededCount()).isPositive();
  }

  private static TestExecutionSummary run(PlantedLoader loader, String test) {
    int at = test.indexOf('#');
    String method = test.substring(at + 1);
    Class<?> changed;
    try {
      changed = loader.loadClass("io.verbena." + test.substring(0, at));
    } catch (ClassNotFoundException e) {
      throw new IllegalArgumentException(e);
    }
    Method chosen =
        Arrays.stream(changed.getDeclaredMethods())
            .filter(one -> one.getName().equals(method))
            .findFirst()
            .orElseThrow(() -> new IllegalArgumentException("no " + method + " in " + changed));
    LauncherDiscoveryRequest request =
        LauncherDiscoveryRequestBuilder.request().selectors(selectMethod(changed, chosen)).build();
    SummaryGeneratingListener heard = new SummaryGeneratingListener();
    LauncherFactory.create().execute(request, heard);
    return heard.getSummary();
  }

  private static String firstLine(Failure failure) {
    String text = String.valueOf(failure.getException().getMessage()).strip();
    return failure.getTestIdentifier().getDisplayName()
        + ": "
        + text.lines().findFirst().orElse("");
  }
}
