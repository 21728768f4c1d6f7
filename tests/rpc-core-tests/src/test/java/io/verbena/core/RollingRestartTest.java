package io.verbena.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.Answer;
import io.verbena.api.CallOptions;
import io.verbena.api.ClientCall;
import io.verbena.api.ClientInterceptor;
import io.verbena.api.Execution;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.Session;
import io.verbena.api.SessionState;
import io.verbena.api.Streams;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.Received;
import io.verbena.api.bulk.Source;
import io.verbena.core.stream.Listener;
import io.verbena.core.stream.Ticks;
import io.verbena.mem.InMemoryNetwork.Admission;
import io.verbena.testkit.SteppedWorld;
import io.verbena.testkit.contract.Kinds;
import io.verbena.testkit.contract.KindsRpc;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** A server that shuts down in order, and a next one that takes its time to start. */
class RollingRestartTest {
  private static final byte[] BYTES = {1, 2, 3};
  private static final Duration GAP = Duration.ofSeconds(3);
  private static final Duration MORE_THAN_RESUME_WINDOW = Duration.ofSeconds(8);

  private final SteppedWorld world = new SteppedWorld();
  private final URI address = URI.create(world.address());
  private final ServedKinds served = new ServedKinds();
  private final VerbenaServer server =
      world.server(s -> s.serve(Probe.bind(new Probe.Plain())).serve(KindsRpc.bind(served)));
  private final Probe.Counting next = new Probe.Counting();
  private final ServedKinds nextKinds = new ServedKinds();
  private Session session = world.client().session(world.address());

  /** Serves every kind of call. */
  private static final class ServedKinds implements Kinds {
    final List<String> told = new ArrayList<>();
    final Ticks answers = new Ticks();
    final Listener<Long> items = new Listener<>();

    @Override
    public String plain(String text) {
      return text;
    }

    @Override
    public Received read(Landing into) {
      return Received.from(Source.of(MemorySegment.ofArray(BYTES)));
    }

    @Override
    public Flow.Publisher<Long> exchanged(Flow.Publisher<Long> numbers) {
      numbers.subscribe(items);
      items.request(1);
      return answers;
    }

    @Override
    public String idempotent(String text) {
      return text;
    }

    @Override
    public Flow.Publisher<Long> sent(String text) {
      return Streams.of(List.of((long) text.length()));
    }

    @Override
    public long taken(Flow.Publisher<Long> numbers) {
      return 0;
    }

    @Override
    public byte[] large(byte[] bytes) {
      return bytes;
    }

    @Override
    public void tell(String text) {
      told.add(text);
    }
  }

  /** Passes calls on, and takes part in each. */
  private static final class Passing implements ClientInterceptor {
    @Override
    public <R> CompletionStage<Answer<R>> intercept(ClientCall<R> call) {
      return call.proceed();
    }
  }

  /** Opens the session, and has the server drain. */
  private Probe.Stub drains(CallOptions options) {
    Probe.Stub stub = new Probe.Stub(session, options);
    CompletableFuture<String> first = stub.submit(Probe.ECHO, "first");
    world.runUntil(first::isDone);
    server.drain();
    world.settle();
    assertThat(session.state()).isEqualTo(SessionState.DRAINING);
    return stub;
  }

  /** The server is gone, and who knocks there meets this. */
  private void gap(Admission admission) {
    server.close();
    world.network().admit(address, admission);
    world.settle();
  }

  private void nextServer() {
    world.network().admit(address, Admission.ACCEPT);
    world.server(s -> s.serve(Probe.bind(next)).serve(KindsRpc.bind(nextKinds)));
  }

  private static RpcException failureOf(CompletableFuture<String> call) {
    assertThat(call.exceptionNow()).isInstanceOf(RpcException.class);
    return (RpcException) call.exceptionNow();
  }

  @AfterEach
  void leavesNoSlotInUse() {
    world.pass(Duration.ofMillis(100));
    assertThat(world.client().slotsInUse()).isZero();
    world.close();
  }

  @ParameterizedTest
  @CsvSource({
    "NOBODY_LISTENS, false",
    "NOBODY_LISTENS, true",
    "REFUSE, false",
    "REFUSE, true",
    "IGNORE, false",
    "IGNORE, true"
  })
  void callsMadeMeanwhileWaitForTheNextServer(Admission met, boolean keepsOpen) {
    if (keepsOpen) {
      session = world.client(c -> c.keepOpen()).session(world.address());
    }
    Probe.Stub stub = drains(CallOptions.timeout(Duration.ofSeconds(10)));
    CompletableFuture<String> whileItDrains = stub.submit(Probe.ECHO, "while it drains");
    world.pass(Duration.ofMillis(200));
    gap(met);
    CompletableFuture<String> inTheGap = stub.submit(Probe.ECHO, "in the gap");
    world.pass(GAP);
    assertThat(whileItDrains).isNotDone();
    assertThat(inTheGap).isNotDone();
    nextServer();
    world.runUntil(() -> whileItDrains.isDone() && inTheGap.isDone());
    assertThat(whileItDrains).isCompletedWithValue("while it drains");
    assertThat(inTheGap).isCompletedWithValue("in the gap");
    assertThat(next.executions).hasSize(2).containsEntry("while it drains", 1);
  }

  @ParameterizedTest
  @EnumSource(names = {"NOBODY_LISTENS", "REFUSE"})
  void whereNoneComesTheyFailAfterTheResumeWindowAndSayWhy(Admission met) {
    Probe.Stub stub = drains(CallOptions.timeout(Duration.ofSeconds(30)));
    CompletableFuture<String> call = stub.submit(Probe.ECHO, "in vain");
    gap(met);
    world.pass(MORE_THAN_RESUME_WINDOW);
    RpcException failure = failureOf(call);
    assertThat(failure.status()).isEqualTo(RpcStatus.UNAVAILABLE);
    assertThat(failure.execution()).isEqualTo(Execution.NOT_EXECUTED);
    assertThat(failure)
        .hasMessageContaining("the server shut down, and no new one has been found yet: ")
        .hasMessageContaining(met == Admission.REFUSE ? "refuses" : "nothing listens");
    CompletableFuture<String> late = stub.submit(Probe.ECHO, "at once");
    world.pass(Duration.ofSeconds(1));
    assertThat(failureOf(late)).hasMessageContaining("the server shut down");
  }

  @Test
  void aDeadlineThatPassesWhileItDrainsTellsWhatTheCallWaitedFor() {
    Probe.Stub stub = drains(CallOptions.timeout(Duration.ofSeconds(1)));
    CompletableFuture<String> call = stub.submit(Probe.ECHO, "in time?");
    world.pass(Duration.ofMillis(1_100));
    assertThat(failureOf(call))
        .hasMessageContaining("its deadline of 1000 ms passed while it waited for the next server")
        .hasMessageContaining("the peer shuts down");
  }

  @ParameterizedTest
  @EnumSource(names = {"NOBODY_LISTENS", "REFUSE", "IGNORE"})
  void aDeadlineThatIsFirstTellsThatTheServerShutDown(Admission met) {
    Probe.Stub stub = drains(CallOptions.timeout(Duration.ofSeconds(2)));
    CompletableFuture<String> call = stub.submit(Probe.ECHO, "in time?");
    gap(met);
    world.pass(Duration.ofMillis(2_100));
    RpcException failure = failureOf(call);
    assertThat(failure.status()).isEqualTo(RpcStatus.DEADLINE_EXCEEDED);
    assertThat(failure.execution()).isEqualTo(Execution.NOT_EXECUTED);
    assertThat(failure).hasMessageContaining("the server shut down");
  }

  /** When a call is made that does not leave: the server has said that it drains, or is gone. */
  private enum Made {
    WHILE_IT_DRAINS,
    IN_THE_GAP,
    WHILE_THE_LINK_IS_LOST
  }

  @ParameterizedTest
  @CsvSource({
    "WHILE_IT_DRAINS, false",
    "WHILE_IT_DRAINS, true",
    "IN_THE_GAP, false",
    "IN_THE_GAP, true",
    "WHILE_THE_LINK_IS_LOST, false",
    "WHILE_THE_LINK_IS_LOST, true"
  })
  @Timeout(60)
  void everyKindOfCallWaitsForTheNextServer(Made made, boolean intercepted) throws Exception {
    CallOptions options = CallOptions.timeout(Duration.ofSeconds(20));
    if (intercepted) {
      options = options.withInterceptors(new Passing());
    }
    KindsRpc.Async kinds = KindsRpc.async(session, options);
    CompletableFuture<String> first = kinds.plain("first").toCompletableFuture();
    world.runUntil(first::isDone);
    if (made == Made.WHILE_THE_LINK_IS_LOST) {
      world.network().admit(address, Admission.NOBODY_LISTENS);
      world.network().drop(address, "its process was killed");
      world.settle();
      assertThat(session.state()).isEqualTo(SessionState.RESUMING);
    } else {
      server.drain();
      world.settle();
    }
    if (made == Made.IN_THE_GAP) {
      gap(Admission.NOBODY_LISTENS);
    }
    Ticks numbers = new Ticks();
    byte[] large = new byte[1 << 20];
    large[large.length - 1] = 7;
    CompletableFuture<String> plain = kinds.plain("plain").toCompletableFuture();
    CompletableFuture<Received> landing = kinds.read(Landing.pooled(64)).toCompletableFuture();
    CompletableFuture<Flow.Publisher<Long>> exchange =
        kinds.exchanged(numbers).toCompletableFuture();
    CompletableFuture<byte[]> turned = kinds.large(large).toCompletableFuture();
    CompletableFuture<Void> oneway = // its sender waits until it has left
        CompletableFuture.runAsync(() -> kinds.tell("news"));
    world.settle();
    if (made != Made.IN_THE_GAP) {
      server.close();
      world.network().admit(address, Admission.NOBODY_LISTENS);
    }
    world.pass(GAP);
    assertThat(List.of(plain, landing, exchange, turned)).noneMatch(CompletableFuture::isDone);
    nextServer();
    world.runUntil(
        () ->
            List.of(plain, landing, exchange, turned).stream().allMatch(CompletableFuture::isDone));
    while (!oneway.isDone()) {
      world.settle();
    }
    world.settle(); // what has left arrives
    assertThat(plain).isCompletedWithValue("plain");
    assertThat(nextKinds.told).containsExactly("news");
    assertThat(turned.join()).isEqualTo(large);
    try (Received object = landing.join()) {
      assertThat(object.memory().toArray(ValueLayout.JAVA_BYTE)).isEqualTo(BYTES);
    }
    Listener<Long> answers = new Listener<>();
    exchange.join().subscribe(answers);
    answers.request(1);
    world.runUntil(() -> numbers.isSubscribed() && nextKinds.answers.isSubscribed());
    numbers.send(41);
    nextKinds.answers.send(42);
    world.settle();
    assertThat(nextKinds.items.items).containsExactly(41L);
    assertThat(answers.items).containsExactly(42L);
    answers.cancel();
    world.settle();
    assertThat(served.items.items).isEmpty();
  }
}
