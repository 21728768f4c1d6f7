package io.verbena.core.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.Session;
import io.verbena.core.Probe;
import io.verbena.core.SessionLimits;
import io.verbena.mem.InMemoryNetwork;
import io.verbena.testkit.SteppedWorld;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A session takes any number of calls at once that may be set. */
class MostCallsTest {
  @ParameterizedTest
  @ValueSource(ints = {64, 1 << 20, (1 << 30) - 1, 1 << 30, Integer.MAX_VALUE})
  void callsGoThrough(int most) {
    try (SteppedWorld world =
        new SteppedWorld(
            SessionLimits.DEFAULT.withMaxCalls(most), InMemoryNetwork.DEFAULT_RING_FRAMES)) {
      world.server(s -> s.serve(Probe.bind(new Probe.Plain())));
      Session session = world.client().session(world.address());
      Probe.Stub stub = new Probe.Stub(session);
      for (int i = 0; i < 100; i++) {
        CompletableFuture<String> call = stub.submit(Probe.SLOW, "text");
        world.runUntil(call::isDone);
        assertThat(call).isCompletedWithValue("text");
      }
    }
  }
}
