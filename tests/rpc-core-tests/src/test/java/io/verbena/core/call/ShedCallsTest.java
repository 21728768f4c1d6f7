package io.verbena.core.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.api.CallOptions;
import io.verbena.api.Execution;
import io.verbena.api.Metadata;
import io.verbena.api.Priority;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.Session;
import io.verbena.api.stub.MethodDescriptor;
import io.verbena.core.ConcurrencyLimit;
import io.verbena.core.Probe;
import io.verbena.testkit.SteppedWorld;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A server that runs ten calls at once: 10 critical ones, 8 normal ones, 5 in the background. */
class ShedCallsTest {
  private static final ConcurrencyLimit TEN =
      ConcurrencyLimit.DEFAULT.withInitial(10).withBounds(10, 10);

  private final SteppedWorld world = new SteppedWorld();
  private final Session session = world.client().session(world.address());
  private final ArrayDeque<Runnable> running = new ArrayDeque<>();
  private Executor executor = running::add;

  private void serve() {
    world.server(
        server ->
            server
                .serve(Probe.bind(new Probe.Plain()))
                .handlers(task -> executor.execute(task))
                .concurrencyLimit(TEN));
  }

  @AfterEach
  void leavesNoSlotInUse() {
    world.pass(Duration.ofMillis(100));
    assertThat(world.client().slotsInUse()).isZero();
    world.close();
  }

  private List<CompletableFuture<String>> submit(Priority priority, int calls) {
    return submit(session, priority, Probe.SLOW, "x", calls);
  }

  private List<CompletableFuture<String>> submit(
      Session by, Priority priority, MethodDescriptor<String> method, String text, int calls) {
    CallOptions options = CallOptions.DEFAULT.withMetadata(priority.in(Metadata.EMPTY));
    Probe.Stub stub = new Probe.Stub(by, options);
    List<CompletableFuture<String>> all = new ArrayList<>();
    for (int i = 0; i < calls; i++) {
      all.add(stub.submit(method, text));
    }
    world.settle();
    return all;
  }

  private static long refused(List<CompletableFuture<String>> calls) {
    List<CompletableFuture<String>> over =
        calls.stream().filter(CompletableFuture::isDone).toList();
    assertThat(over)
        .allSatisfy(
            one -> {
              RpcException failure = (RpcException) one.exceptionNow();
              assertThat(failure.status()).isEqualTo(RpcStatus.RESOURCE_EXHAUSTED);
              assertThat(failure.execution()).isEqualTo(Execution.NOT_EXECUTED);
              assertThat(failure.mayRetry()).isTrue();
              assertThat(failure).hasMessageContaining("the peer runs as many calls as it can");
            });
    return over.size();
  }

  private void runAll() {
    while (!running.isEmpty()) {
      running.remove().run();
      world.settle();
    }
  }

  /** All places are free: ten calls are taken, and no more. */
  private void assertAllFree() {
    executor = running::add;
    assertThat(refused(submit(Priority.CRITICAL, 13))).isEqualTo(3);
    runAll();
  }

  @Test
  void eachPriorityHasItsShareOfTheLimit() {
    serve();
    assertThat(refused(submit(Priority.BACKGROUND, 7))).isEqualTo(2);
    assertThat(refused(submit(Priority.NORMAL, 7))).isEqualTo(4);
    assertThat(refused(submit(Priority.CRITICAL, 7))).isEqualTo(5);
    assertThat(running).hasSize(10);
    runAll();
    assertAllFree();
  }

  @Test
  void anUnknownPriorityIsANormalOne() {
    serve();
    byte[] bytes = Priority.CRITICAL.in(Metadata.EMPTY).toBytes();
    bytes[bytes.length - 1] = 'k'; // as of a peer that knows more priorities
    Metadata odd = Metadata.ofBytes(bytes);
    Probe.Stub stub = new Probe.Stub(session, CallOptions.DEFAULT.withMetadata(odd));
    List<CompletableFuture<String>> calls = new ArrayList<>();
    for (int i = 0; i < 9; i++) {
      calls.add(stub.submit(Probe.SLOW, "x"));
    }
    world.settle();
    assertThat(refused(calls)).isOne();
    runAll();
  }

  @Test
  void sessionsShareTheLimit() {
    serve();
    Session other = world.client(settings -> {}).session(world.address());
    assertThat(refused(submit(Priority.CRITICAL, 6))).isZero();
    assertThat(refused(submit(other, Priority.CRITICAL, Probe.SLOW, "x", 6))).isEqualTo(2);
    runAll();
    assertAllFree();
  }

  @Test
  void handlersOnTheLoopAndOneWayCallsAreNotRefused() {
    serve();
    List<CompletableFuture<String>> slow = submit(Priority.CRITICAL, 10);
    List<CompletableFuture<String>> quick =
        submit(session, Priority.BACKGROUND, Probe.ECHO, "quick", 5);
    assertThat(quick).allSatisfy(one -> assertThat(one).isCompletedWithValue("quick"));
    new Probe.Stub(session).tell("news");
    world.settle();
    assertThat(running).hasSize(11);
    assertThat(refused(slow)).isZero();
    runAll();
    assertAllFree();
  }

  @Test
  void longArgumentsHaveAPlaceWhileTheyAreRead() {
    serve();
    executor = world.handlers();
    String text = "x".repeat(100_000);
    for (int i = 0; i < 3; i++) {
      List<CompletableFuture<String>> calls =
          submit(session, Priority.CRITICAL, Probe.SLOW, text, 10);
      assertThat(calls).allSatisfy(one -> assertThat(one).isCompletedWithValue(text));
    }
    executor = running::add;
    assertThat(refused(submit(session, Priority.CRITICAL, Probe.SLOW, text, 12))).isEqualTo(2);
    runAll();
    assertAllFree();
  }

  @Test
  void placesAreFreeAgainHoweverCallsEnd() {
    serve();
    executor =
        task -> {
          throw new RejectedExecutionException("full");
        };
    for (int i = 0; i < 3; i++) {
      submit(Priority.CRITICAL, 10);
    }
    executor = dropped -> {};
    submit(Priority.CRITICAL, 10);
    world.pass(Duration.ofSeconds(16)); // their deadline
    assertAllFree();

    submit(Priority.CRITICAL, 10).forEach(call -> call.cancel(true));
    runAll();
    assertAllFree();
  }

  @Test
  void placesAreFreeAgainWhenTheirClientIsGone() {
    serve();
    Session other = world.client(settings -> {}).session(world.address());
    submit(other, Priority.CRITICAL, Probe.SLOW, "x", 10);
    other.close();
    world.pass(Duration.ofSeconds(10));
    assertThat(refused(submit(Priority.CRITICAL, 1))).isOne(); // their handlers still run
    runAll();
    assertAllFree();
  }

  @Test
  void settingsOutOfRangeAreRefused() {
    assertThatThrownBy(() -> TEN.withBounds(0, 5)).hasMessageContaining("least");
    assertThatThrownBy(() -> TEN.withBounds(8, 5)).hasMessageContaining("most");
    assertThatThrownBy(() -> TEN.withInitial(11)).hasMessageContaining("initial");
    assertThatThrownBy(() -> TEN.withShares(1.1, 0.5)).hasMessageContaining("normalShare");
    assertThatThrownBy(() -> TEN.withShares(0.5, 0.6)).hasMessageContaining("backgroundShare");
  }
}
