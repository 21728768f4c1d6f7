package io.verbena.core.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.CallOptions;
import io.verbena.api.Session;
import io.verbena.api.SessionState;
import io.verbena.core.Probe;
import io.verbena.core.SessionLimits;
import io.verbena.core.VerbenaServer;
import io.verbena.mem.InMemoryNetwork;
import io.verbena.testkit.SteppedWorld;
import java.lang.ref.WeakReference;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Calls that end before they have left are forgotten, however long there is no peer for them. */
class ForgottenCallsTest {
  private static final int BATCHES = 20;
  private static final int CALLS = 100;
  private static final int MOST_COLLECTIONS = 100;
  private static final Duration TIMEOUT = Duration.ofMillis(20);

  private final SteppedWorld world =
      new SteppedWorld(
          SessionLimits.DEFAULT.withResumeWindow(Duration.ofHours(1)),
          InMemoryNetwork.DEFAULT_RING_FRAMES);
  private final URI address = URI.create(world.address());
  private final Session session = world.client().session(world.address());
  private final Probe.Stub stub = new Probe.Stub(session, CallOptions.timeout(TIMEOUT));

  /** The event for which calls wait. */
  private enum Wait {
    FOR_A_SERVER,
    FOR_A_LINK,
    FOR_THE_NEXT_SERVER
  }

  @AfterEach
  void close() {
    world.close();
  }

  private void begin(Wait wait) {
    VerbenaServer server = world.server(s -> s.serve(Probe.bind(new Probe.Plain())));
    if (wait != Wait.FOR_A_SERVER) {
      CompletableFuture<String> first = stub.submit(Probe.ECHO, "first");
      world.runUntil(first::isDone);
      assertThat(first).isCompletedWithValue("first");
    }
    if (wait == Wait.FOR_THE_NEXT_SERVER) {
      server.drain();
    } else {
      world.network().admit(address, InMemoryNetwork.Admission.IGNORE);
      world.network().drop(address, "a cable was pulled");
    }
    world.settle();
    assertThat(session.state())
        .isEqualTo(
            switch (wait) {
              case FOR_A_SERVER -> SessionState.IDLE;
              case FOR_A_LINK -> SessionState.RESUMING;
              case FOR_THE_NEXT_SERVER -> SessionState.DRAINING;
            });
  }

  @ParameterizedTest
  @EnumSource
  void ofCallsThatWaitInVainOnlyTheLastAreKept(Wait wait) {
    begin(wait);
    List<WeakReference<CompletableFuture<String>>> ended = new ArrayList<>();
    for (int batch = 0; batch < BATCHES; batch++) {
      List<CompletableFuture<String>> calls = new ArrayList<>();
      for (int i = 0; i < CALLS; i++) {
        calls.add(stub.submit(Probe.ECHO, "in vain"));
      }
      world.pass(TIMEOUT.multipliedBy(2));
      assertThat(calls).allMatch(CompletableFuture::isCompletedExceptionally);
      calls.forEach(call -> ended.add(new WeakReference<>(call)));
    }
    for (int i = 0; i < MOST_COLLECTIONS && kept(ended) > 2 * CALLS; i++) {
      System.gc();
      world.settle();
    }
    assertThat(kept(ended)).isLessThanOrEqualTo(2 * CALLS);
  }

  private static long kept(List<WeakReference<CompletableFuture<String>>> calls) {
    return calls.stream().filter(call -> call.get() != null).count();
  }
}
