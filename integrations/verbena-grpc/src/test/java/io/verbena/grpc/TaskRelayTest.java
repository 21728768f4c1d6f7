package io.verbena.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.grpc.internal.SharedResourceHolder;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

class TaskRelayTest {
  /** The threads that were called and have not begun, each with what it would run. */
  private final Queue<Runnable> called = new ConcurrentLinkedQueue<>();

  private final List<String> done = new ArrayList<>();
  private volatile boolean refuses;

  /** What other threads do while the executor is asked. */
  private volatile Runnable meanwhile = () -> {};

  private TaskRelay relay() {
    TaskRelay relay =
        new TaskRelay(
            new SharedResourceHolder.Resource<>() {
              @Override
              public Executor create() {
                return work -> {
                  meanwhile.run();
                  if (refuses) {
                    throw new RejectedExecutionException("no threads");
                  }
                  called.add(work);
                };
              }

              @Override
              public void close(Executor threads) {}
            });
    relay.begin();
    return relay;
  }

  @Test
  void aBurstOfShortTasksCallsTwoThreads() {
    TaskRelay relay = relay();
    for (int i = 0; i < 100; i++) {
      relay.execute(() -> done.add("task"));
    }
    assertThat(called).hasSize(1);
    called.remove().run();
    assertThat(done).hasSize(100);
    assertThat(called).as("called when the first task was taken").hasSize(1);
    called.remove().run();
    assertThat(called).isEmpty();
  }

  @Test
  void aTaskThatBlocksDelaysNoOther() {
    TaskRelay relay = relay();
    relay.execute(
        () -> {
          called.remove().run(); // another thread works while this task is not done
          done.add("first");
        });
    relay.execute(() -> done.add("second"));
    called.remove().run();
    assertThat(done).containsExactly("second", "first");
  }

  @Test
  void aTaskThatThrowsEndsItsThreadAndNoOtherTask() {
    TaskRelay relay = relay();
    relay.execute(
        () -> {
          throw new IllegalStateException("of the task");
        });
    relay.execute(() -> done.add("next"));
    Runnable first = called.remove();
    assertThatThrownBy(first::run).hasMessage("of the task");
    called.remove().run();
    assertThat(done).containsExactly("next");
  }

  @Test
  void aTaskThatComesLastCallsAThreadAgain() {
    TaskRelay relay = relay();
    relay.execute(() -> done.add("first"));
    called.remove().run();
    relay.execute(() -> done.add("second"));
    called.remove().run();
    assertThat(done).containsExactly("first", "second");
  }

  @Test
  void aTaskThatNoThreadTakesIsRefusedAndForgotten() {
    TaskRelay relay = relay();
    refuses = true;
    assertThatThrownBy(() -> relay.execute(() -> done.add("refused")))
        .isInstanceOf(RejectedExecutionException.class);
    refuses = false;
    relay.execute(() -> done.add("taken"));
    called.remove().run();
    assertThat(done).containsExactly("taken");
  }

  @Test
  void aTaskThatReliedOnARefusedCallOfAnotherThreadIsRunLater() {
    TaskRelay relay = relay();
    refuses = true;
    meanwhile =
        () -> {
          meanwhile = () -> {};
          relay.execute(() -> done.add("relied"));
        };
    assertThatThrownBy(() -> relay.execute(() -> done.add("refused")))
        .isInstanceOf(RejectedExecutionException.class);
    refuses = false;
    await().until(() -> !called.isEmpty());
    called.remove().run();
    assertThat(done).containsExactly("relied");
  }
}
