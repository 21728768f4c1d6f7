package io.verbena.it.lived;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.CallOptions;
import io.verbena.api.Session;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A session that was idle for longer than its next call may take. */
final class IdleSessionTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(2);
  private static final long IDLE_MILLIS = 2_200;
  private static final int CALLS = 2;

  @Test
  void aCallHasItsWholeTime() throws Exception {
    try (VerbenaServer server =
            VerbenaServer.builder()
                .listen("127.0.0.1:0")
                .serve(PatientRpc.bind(new Patient.Plain()))
                .start();
        VerbenaClient client = VerbenaClient.builder().build();
        Session session = client.connect(server.address().toString())) {
      PatientRpc.client(session).work(1); // what is loaded once takes longer
      Patient patient = PatientRpc.client(session, CallOptions.timeout(TIMEOUT));
      for (int i = 0; i < CALLS; i++) {
        Thread.sleep(IDLE_MILLIS);
        long before = System.nanoTime();
        long left = patient.work(1);
        Duration took = Duration.ofNanos(System.nanoTime() - before);
        assertThat(left).isBetween(TIMEOUT.minus(took).toMillis() - 1, TIMEOUT.toMillis());
      }
    }
  }
}
