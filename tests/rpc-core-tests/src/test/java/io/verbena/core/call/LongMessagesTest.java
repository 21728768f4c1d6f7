package io.verbena.core.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.CallOptions;
import io.verbena.api.Execution;
import io.verbena.api.Session;
import io.verbena.api.StreamIterator;
import io.verbena.api.Streams;
import io.verbena.api.stub.ServiceBinding;
import io.verbena.core.Probe;
import io.verbena.core.SessionLimits;
import io.verbena.core.VerbenaClient;
import io.verbena.core.stream.Listener;
import io.verbena.core.stream.Ticker;
import io.verbena.core.stream.TickerRpc;
import io.verbena.mem.InMemoryNetwork;
import io.verbena.testkit.SteppedWorld;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Memory for a peer's message, and for its values, counts for that peer. */
class LongMessagesTest {
  private static final int MEMORY = 1 << 20;

  /** The most that one session may have: its guaranteed part, and what is lent. */
  private static final int MOST = MEMORY / 8 + MEMORY / 2;

  private static final String LONG = "x".repeat(60_000);

  private final SteppedWorld world =
      new SteppedWorld(SessionLimits.DEFAULT, InMemoryNetwork.DEFAULT_RING_FRAMES);
  private final List<Integer> read = new ArrayList<>();
  private final VerbenaClient taker = world.client(c -> c.maxAssemblyBytes(MEMORY));

  @AfterEach
  void close() {
    world.close();
  }

  /** A probe that notes how long the texts are that it has read. */
  private ServiceBinding noting(Probe probe) {
    ServiceBinding plain = Probe.bind(probe);
    return new ServiceBinding(
        plain.service(),
        (method, in, call) -> {
          plain.dispatcher().dispatch(method, in, call);
          read.add(method.id());
        });
  }

  private Probe.Stub stub() {
    Session session = world.client().session(world.address());
    Probe.Stub stub = new Probe.Stub(session, CallOptions.timeout(Duration.ofSeconds(2)));
    CompletableFuture<String> open = stub.submit(Probe.FAIL, "open");
    world.runUntil(open::isDone);
    read.clear();
    return stub;
  }

  private void stepLoopsAlone() {
    for (int i = 0; i < 100; i++) {
      world.step();
    }
  }

  @Test
  void longArgumentsAreReadBesideTheLoopAndShortOnesOnIt() {
    world.server(s -> s.serve(noting(new Probe.Plain())));
    Probe.Stub stub = stub();
    CompletableFuture<String> lengthy = stub.submit(Probe.ECHO, LONG);
    CompletableFuture<String> brief = stub.submit(Probe.ECHO, "brief");
    stepLoopsAlone();
    assertThat(read).as("by the loop").hasSize(1);
    assertThat(brief).as("is in its turn").isNotDone();
    assertThat(world.runHandlers()).as("threads for what is read").isEqualTo(1);
    stepLoopsAlone();
    assertThat(brief).as("nonBlocking, on the loop").isCompletedWithValue("brief");
    world.settle();
    assertThat(lengthy).isCompletedWithValue(LONG);
  }

  @Test
  void longResultsAreReadBesideTheLoopAndTheirDeadlineHolds() {
    world.server(
        s ->
            s.serve(
                Probe.bind(
                    new Probe.Plain() {
                      @Override
                      public String echo(String text) {
                        return LONG;
                      }
                    })));
    Probe.Stub stub = stub();
    CompletableFuture<String> read = stub.submit(Probe.ECHO, "a");
    stepLoopsAlone();
    assertThat(read).as("not by the loop").isNotDone();
    world.settle();
    assertThat(read).isCompletedWithValue(LONG);

    CompletableFuture<String> late = stub.submit(Probe.ECHO, "b");
    stepLoopsAlone();
    world.passIdle(Duration.ofSeconds(3), () -> {});
    stepLoopsAlone();
    assertThat(late.exceptionNow()).hasMessageContaining("DEADLINE_EXCEEDED");
    world.settle();
  }

  @Test
  void longMessagesAreReadOneAfterTheOther() {
    world.server(s -> s.serve(noting(new Probe.Plain())));
    Probe.Stub stub = stub();
    List<CompletableFuture<String>> calls = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      calls.add(stub.submit(i % 2 == 0 ? Probe.ECHO : Probe.SLOW, i + LONG));
    }
    stepLoopsAlone();
    assertThat(world.runHandlers()).as("messages that are read at once").isEqualTo(1);
    world.settle();
    assertThat(read).as("in the order of the calls").containsExactly(1, 2, 1, 2, 1);
    for (int i = 0; i < 5; i++) {
      assertThat(calls.get(i)).isCompletedWithValue(i + LONG);
    }
  }

  @Test
  void whatIsGivenUpBeforeItIsReadDoesNotRun() {
    Probe.Counting here = new Probe.Counting();
    world.server(s -> s.serve(noting(here)));
    Probe.Stub stub = stub();
    CompletableFuture<String> first = stub.submit(Probe.ECHO, LONG + 1);
    CompletableFuture<String> second = stub.submit(Probe.ECHO, LONG + 2);
    stepLoopsAlone();
    second.cancel(true);
    stepLoopsAlone();
    world.settle();
    assertThat(first).isCompletedWithValue(LONG + 1);
    assertThat(here.executions).containsOnlyKeys(LONG + 1);
  }

  @Test
  void longArgumentsCountUntilTheirHandlersHaveEnded() {
    Probe.Plain here = new Probe.Plain();
    List<Runnable> held = new ArrayList<>();
    world.server(s -> s.serve(Probe.bind(here)).maxAssemblyBytes(MEMORY).handlers(held::add));
    Probe.Stub stub = new Probe.Stub(world.client().session(world.address()));
    int fit = MOST / LONG.length();
    List<CompletableFuture<String>> calls = new ArrayList<>();
    for (int i = 0; i < 3 * fit; i++) {
      calls.add(stub.submit(Probe.SLOW, LONG));
      world.settle();
    }
    assertThat(held).as("handlers that hold arguments").hasSizeBetween(fit - 2, fit);
    assertThat(calls.getLast().exceptionNow())
        .hasMessageContaining("RESOURCE_EXHAUSTED: its arguments")
        .hasFieldOrPropertyWithValue("execution", Execution.NOT_EXECUTED);
    held.forEach(Runnable::run);
    world.settle();
    assertThat(calls.getFirst()).isCompletedWithValue(LONG);
    held.clear();
    CompletableFuture<String> next = stub.submit(Probe.SLOW, LONG);
    world.settle();
    assertThat(held).as("there is room again").hasSize(1);
    held.getFirst().run();
    world.settle();
    assertThat(next).isCompletedWithValue(LONG);
  }

  // ---- streams ----

  private static final int ITEMS = 400;
  private static final int ITEM = 20_000;

  /** A batch of 32 KiB and the item that reaches it. */
  private static final long MOST_IN_A_MESSAGE = (32 << 10) + ITEM;

  /** Counts the items that it was asked for. */
  private static final class Texts implements Ticker {
    int made;

    @Override
    public Flow.Publisher<String> texts(int[] lengths) {
      return Streams.of(IntStream.of(lengths).peek(one -> made++).mapToObj("x"::repeat));
    }

    @Override
    public Flow.Publisher<Long> ticks() {
      throw new UnsupportedOperationException();
    }

    @Override
    public void start(Flow.Publisher<Long> ticks) {}

    @Override
    public Flow.Publisher<Long> exchange(Flow.Publisher<Long> ticks) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void nothing() {}

    @Override
    public Flow.Publisher<Long> ticksOnLoop() {
      throw new UnsupportedOperationException();
    }

    @Override
    public void nothingOnLoop() {}
  }

  private Flow.Publisher<String> texts(Texts served) {
    world.server(s -> s.serve(TickerRpc.bind(served)));
    return world.result(
        TickerRpc.async(taker.session(world.address()))
            .texts(IntStream.range(0, ITEMS).map(i -> ITEM).toArray()));
  }

  @Test
  void itemsThatNobodyHasUsedCountAndBoundWhatIsAskedFor() {
    Texts served = new Texts();
    try (StreamIterator<String> each = Streams.iterate(texts(served))) {
      world.settle();
      assertThat(taker.sharedBytesInUse())
          .as("bytes of an iterator that stands")
          .isBetween((long) ITEM, MEMORY / 8 + MOST_IN_A_MESSAGE);
      for (int i = 0; i < ITEMS; i++) {
        assertThat(each.next()).hasSize(ITEM);
        world.settle();
      }
      assertThat(each.hasNext()).isFalse();
    }
    world.settle();
    assertThat(taker.sharedBytesInUse()).isZero();
  }

  @Test
  void moreItemsThanThereIsMemoryForArriveOneByOne() {
    Texts served = new Texts();
    Listener<String> listener = new Listener<>();
    texts(served).subscribe(listener);
    listener.request(ITEMS);
    world.settle();
    assertThat(listener.items).hasSize(ITEMS);
    assertThat(served.made).isEqualTo(ITEMS);
  }
}
