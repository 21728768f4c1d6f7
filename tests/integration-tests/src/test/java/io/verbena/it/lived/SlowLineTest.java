package io.verbena.it.lived;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.Session;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.ObjectRef;
import io.verbena.api.bulk.Published;
import io.verbena.api.bulk.Received;
import io.verbena.api.bulk.Source;
import io.verbena.api.bulk.Transfer;
import io.verbena.core.SessionLimits;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.testkit.abuse.ThrottledProxy;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Large objects and small calls on a line that carries the objects in seconds. */
final class SlowLineTest {
  /** An object takes longer than a link may be silent. */
  private static final SessionLimits LIMITS =
      SessionLimits.DEFAULT.withKeepalive(Duration.ofMillis(500), Duration.ofSeconds(3));

  private static final int LENGTH = 512 << 10;

  /** One that waits for an object, or most of it, leaves no time for more. */
  private static final int PINGS_BESIDE_AN_OBJECT = 2;

  private final VerbenaServer server =
      VerbenaServer.builder()
          .limits(LIMITS)
          .listen("127.0.0.1:0")
          .serve(PatientRpc.bind(new Patient.Plain()))
          .drainTime(Duration.ZERO) // what the line still held of a session's end is lost with it
          .start();
  private final VerbenaClient client = VerbenaClient.builder().limits(LIMITS).build();
  private final Published published =
      server.publish(Source.of(new byte[LENGTH]), Duration.ofMinutes(5));
  private final ObjectRef object = published.ref();

  @AfterEach
  void close() {
    client.close();
    published.close();
    server.close();
  }

  private ThrottledProxy line(long bitsPerSecond) throws IOException {
    return new ThrottledProxy(server.address(), bitsPerSecond);
  }

  /** Returns how many pings were answered meanwhile. */
  private static int pingUntilDone(Session session, Transfer transfer) throws Exception {
    Patient patient = PatientRpc.client(session);
    int pings = 0;
    while (!transfer.result().toCompletableFuture().isDone()) {
      patient.ping(1);
      pings++;
      Thread.sleep(50);
    }
    return pings;
  }

  @Test
  void carriesAnObjectAndCallsBesideIt() throws Exception {
    try (ThrottledProxy line = line(2_500_000);
        Session session = client.connect(line.address())) {
      Transfer transfer = session.objects().fetch(object, Landing.pooled(LENGTH));
      assertThat(pingUntilDone(session, transfer)).isGreaterThan(PINGS_BESIDE_AN_OBJECT);
      try (Received received = transfer.get(Duration.ofSeconds(20))) {
        assertThat(received.length()).isEqualTo(LENGTH);
      }
      assertThat(line.connections()).as("links").isEqualTo(1);
    }
  }

  @Test
  void goesOnFromWhatHasComeWhenALinkIsLost() throws Exception {
    try (ThrottledProxy line = line(2_500_000);
        Session session = client.connect(line.address())) {
      Transfer transfer = session.objects().fetch(object, Landing.pooled(LENGTH));
      while (line.bytesToClients() < LENGTH / 2) {
        Thread.sleep(10);
      }
      line.cut();
      transfer.get(Duration.ofSeconds(20)).close();
      assertThat(line.connections()).as("links").isEqualTo(2);
      assertThat(line.bytesToClients()).isLessThan(LENGTH + LENGTH / 4);
    }
  }

  @Test
  void isSharedBySeveralSessions() throws Exception {
    int count = 4;
    try (ThrottledProxy line = line(10_000_000)) {
      List<Session> sessions = new ArrayList<>();
      List<Transfer> transfers = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        sessions.add(client.connect(line.address()));
      }
      for (Session session : sessions) {
        transfers.add(session.objects().fetch(object, Landing.pooled(LENGTH)));
      }
      int pings = 0;
      for (int i = 0; i < count; i++) {
        pings += pingUntilDone(sessions.get(i), transfers.get(i));
        transfers.get(i).get(Duration.ofSeconds(20)).close();
      }
      assertThat(pings).isGreaterThan(PINGS_BESIDE_AN_OBJECT);
      assertThat(line.connections()).as("links").isEqualTo(count);
      sessions.forEach(Session::close);
    }
  }
}
