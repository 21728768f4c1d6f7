package io.verbena.core.loop;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.Test;

/** One task after the other, whatever each does. */
class SequentialExecutorTest {
  private final List<String> heard = new ArrayList<>();
  private final Queue<Runnable> threads = new ArrayDeque<>();
  private final SequentialExecutor executor =
      new SequentialExecutor(threads::add, thrown -> heard.add("thrown: " + thrown.getMessage()));

  @Test
  void whatThrowsIsHeardOfAndTheNextOneRuns() {
    executor.execute(
        () -> {
          throw new OutOfMemoryError("no thread");
        });
    executor.execute(() -> heard.add("second"));
    assertThat(threads).hasSize(1);
    threads.remove().run();
    assertThat(heard).containsExactly("thrown: no thread", "second");
  }

  @Test
  void whatATaskHandsOverRunsAfterIt() {
    executor.execute(
        () -> {
          executor.execute(() -> heard.add("second"));
          heard.add("first");
        });
    threads.remove().run();
    assertThat(heard).containsExactly("first", "second");
    executor.execute(() -> heard.add("third"));
    threads.remove().run();
    assertThat(heard).endsWith("third");
  }

  @Test
  void nothingRunsAfterTheLast() {
    executor.close(() -> heard.add("last"));
    executor.execute(() -> heard.add("late"));
    executor.close(() -> heard.add("twice"));
    threads.remove().run();
    assertThat(threads).isEmpty();
    assertThat(heard).containsExactly("last");
  }
}
