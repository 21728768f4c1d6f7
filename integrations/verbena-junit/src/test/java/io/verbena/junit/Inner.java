package io.verbena.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.util.List;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary.Failure;

/** Runs a test within a test. */
final class Inner {
  private Inner() {}

  /** Returns what its one test method failed by. */
  static List<Throwable> failuresOf(Class<?> test) {
    SummaryGeneratingListener summary = new SummaryGeneratingListener();
    LauncherFactory.create()
        .execute(
            LauncherDiscoveryRequestBuilder.request().selectors(selectClass(test)).build(),
            summary);
    assertThat(summary.getSummary().getTestsStartedCount()).isEqualTo(1);
    assertThat(Thread.getAllStackTraces().keySet())
        .extracting(Thread::getName)
        .noneMatch(name -> name.startsWith("verbena-test-"));
    return summary.getSummary().getFailures().stream().map(Failure::getException).toList();
  }
}
