package io.verbena.link.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A task is run, or its owner hears why not: once, whatever an executor does with it. */
class OwnThreadsTest {
  private final List<String> heard = new ArrayList<>();

  static List<Throwable> refusals() {
    return List.of(
        new RejectedExecutionException("full"),
        new OutOfMemoryError("unable to create native thread"));
  }

  private void hand(Executor executor, Runnable task) {
    OwnThreads.hand(executor, task, failure -> heard.add("failed: " + failure.getMessage()));
  }

  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // that is the point
  private static <E extends Throwable> void sneak(Throwable thrown) throws E {
    throw (E) thrown;
  }

  @ParameterizedTest
  @MethodSource("refusals")
  void theOwnerHearsThatAnExecutorTakesNothing(Throwable refusal) {
    hand(task -> OwnThreadsTest.<RuntimeException>sneak(refusal), () -> heard.add("ran"));
    assertThat(heard).containsExactly("failed: " + refusal.getMessage());
  }

  @ParameterizedTest
  @MethodSource("refusals")
  void whatAnExecutorRunsAndThenRefusesHasRun(Throwable refusal) {
    hand(
        task -> {
          task.run();
          task.run();
          OwnThreadsTest.<RuntimeException>sneak(refusal);
        },
        () -> heard.add("ran"));
    assertThat(heard).containsExactly("ran");
  }

  @ParameterizedTest
  @MethodSource("refusals")
  void whatAnExecutorRefusesAndRunsLaterDoesNotRun(Throwable refusal) {
    List<Runnable> kept = new ArrayList<>();
    hand(
        task -> {
          kept.add(task);
          OwnThreadsTest.<RuntimeException>sneak(refusal);
        },
        () -> heard.add("ran"));
    kept.forEach(Runnable::run);
    assertThat(heard).containsExactly("failed: " + refusal.getMessage());
  }

  @ParameterizedTest
  @MethodSource("refusals")
  void theOwnerHearsWhatATaskThrows(Throwable thrown) {
    hand(Runnable::run, () -> OwnThreadsTest.<RuntimeException>sneak(thrown));
    assertThat(heard).containsExactly("failed: " + thrown.getMessage());
  }
}
