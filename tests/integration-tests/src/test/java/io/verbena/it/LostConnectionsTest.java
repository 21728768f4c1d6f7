package io.verbena.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.Session;
import io.verbena.core.SessionLimits;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.testkit.Seed;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Test;

/** A session over connections that do not last. */
class LostConnectionsTest {
  private static final int CALLS = 10_000;
  private static final int IN_FLIGHT = 200;
  private static final SessionLimits PATIENT =
      SessionLimits.DEFAULT
          .withResumeWindow(Duration.ofSeconds(60))
          .withDefaultTimeout(Duration.ofSeconds(60));

  @Test
  void everyCallIsExecutedOnceAndAnsweredOnce() throws Exception {
    long seed = Seed.number("LostConnectionsTest");
    AtomicIntegerArray executions = new AtomicIntegerArray(CALLS);
    House counting =
        new PlainHouse() {
          @Override
          public long add(long number) {
            executions.incrementAndGet((int) number);
            return super.add(number);
          }
        };
    try (VerbenaServer server =
            VerbenaServer.builder()
                .listen("127.0.0.1:0")
                .limits(PATIENT)
                .serve(HouseRpc.bind(counting))
                .start();
        CuttingProxy proxy = new CuttingProxy(server.address(), new Random(seed));
        VerbenaClient client = VerbenaClient.builder().limits(PATIENT).build();
        Session session = client.connect(proxy.address())) {
      HouseRpc.Async house = HouseRpc.async(session);
      ArrayDeque<CompletableFuture<Long>> inFlight = new ArrayDeque<>();
      long answered = 0;
      for (long number = 0; number < CALLS; number++) {
        inFlight.addLast(house.add(number).toCompletableFuture());
        if (inFlight.size() == IN_FLIGHT) {
          assertThat(inFlight.removeFirst().get()).isEqualTo(++answered);
        }
      }
      while (!inFlight.isEmpty()) {
        assertThat(inFlight.removeFirst().get()).isEqualTo(++answered);
      }
      for (int number = 0; number < CALLS; number++) {
        assertThat(executions.get(number)).as("executions of call %d", number).isEqualTo(1);
      }
      assertThat(proxy.cuts()).isGreaterThan(10);
    }
  }
}
