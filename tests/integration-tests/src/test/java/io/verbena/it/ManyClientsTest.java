package io.verbena.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.verbena.api.Session;
import io.verbena.core.SessionLimits;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A thousand clients at once, each with a connection of its own. */
@Tag("long")
class ManyClientsTest {
  private static final int CLIENTS = 1_000;
  private static final int CALLS = 100;

  /** On a busy machine a call, and an opening, may be behind those of all others. */
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private static final SessionLimits PATIENT = SessionLimits.DEFAULT.withDefaultTimeout(PATIENCE);

  @Test
  void everyCallIsAccountedForAndEveryBufferComesBack() throws Exception {
    AtomicLong executed = new AtomicLong();
    House counting =
        new PlainHouse() {
          @Override
          public long add(long number) {
            executed.incrementAndGet();
            return super.add(number);
          }
        };
    try (VerbenaServer server =
            VerbenaServer.builder().listen("127.0.0.1:0").serve(HouseRpc.bind(counting)).start();
        VerbenaClient client =
            VerbenaClient.builder().limits(PATIENT).connectTimeout(PATIENCE).build();
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      String address = server.address().toString();
      List<Callable<Long>> clients = new ArrayList<>();
      for (int i = 0; i < CLIENTS; i++) {
        clients.add(() -> callsOf(client, address));
      }
      long answered = 0;
      for (Future<Long> one : threads.invokeAll(clients)) {
        answered += one.get();
      }
      assertThat(answered).isEqualTo((long) CLIENTS * CALLS);
      assertThat(executed).hasValue((long) CLIENTS * CALLS);
      await()
          .atMost(Duration.ofSeconds(30))
          .until(() -> client.slotsInUse() == 0 && server.slotsInUse() == 0);
    }
  }

  /** Returns how many calls were answered rightly. */
  private static long callsOf(VerbenaClient client, String address) {
    try (Session session = client.connect(address)) {
      House house = HouseRpc.client(session);
      long right = 0;
      for (long i = 0; i < CALLS; i++) {
        right += house.add(i) == i + 1 ? 1 : 0;
      }
      return right;
    }
  }
}
