package io.verbena.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.Session;
import io.verbena.api.SessionState;
import io.verbena.core.SessionLimits;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.link.TlsOptions;
import io.verbena.testkit.Seed;
import io.verbena.testkit.TestIdentity;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A server with several event loops: whose session is on which of them, and that it stays there.
 */
@Timeout(120)
class LoopsTest {
  private static final int LOOPS = 3;
  private static final Duration LONGEST = Duration.ofSeconds(30);
  private static final int FLYING = 500; // calls under way at most, of all sessions
  private static final SessionLimits PATIENT =
      SessionLimits.DEFAULT
          .withResumeWindow(Duration.ofSeconds(60))
          .withDefaultTimeout(Duration.ofSeconds(60));

  /** Says which thread it is on: that of the session's loop. */
  private static class Where extends PlainHouse {
    @Override
    public String say(String text) {
      return Thread.currentThread().getName();
    }
  }

  /** Takes its time for who asks who it is: until the test goes on. */
  private static final class Slow extends Where {
    final CountDownLatch goOn = new CountDownLatch(1);

    @Override
    public String whoAmI() {
      try {
        goOn.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      return "done";
    }
  }

  private static VerbenaServer.Builder server(House house) {
    return VerbenaServer.builder()
        .listen("127.0.0.1:0")
        .loops(LOOPS)
        .limits(PATIENT)
        .serve(HouseRpc.bind(house));
  }

  private static VerbenaClient client() {
    return VerbenaClient.builder().limits(PATIENT).build();
  }

  private static String loopOf(Session session) {
    return HouseRpc.client(session).say("");
  }

  private static List<Session> connect(VerbenaClient client, VerbenaServer server, int count) {
    List<Session> sessions = new ArrayList<>();
    while (sessions.size() < count) {
      sessions.add(client.connect(server.address().toString()));
    }
    return sessions;
  }

  private static Map<String, Integer> sessionsByLoop(List<Session> sessions) {
    Map<String, Integer> count = new HashMap<>();
    sessions.forEach(session -> count.merge(loopOf(session), 1, Integer::sum));
    return count;
  }

  @Test
  void sessionsGoToTheLoopsThatHaveTheFewest() {
    try (VerbenaServer server = server(new Where()).start();
        VerbenaClient client = client()) {
      List<Session> sessions = connect(client, server, 2 * LOOPS);
      Map<String, Integer> before = sessionsByLoop(sessions);
      assertThat(before).hasSize(LOOPS).values().containsOnly(2);
      String left = loopOf(sessions.getFirst());
      sessions.removeFirst().close();
      assertThat(loopOf(sessions.getFirst())).isNotEqualTo(left);
      while (sessionsByLoop(sessions).getOrDefault(left, 0) < 2) {
        // The server may not have heard yet that the first has closed.
        sessions.add(client.connect(server.address().toString()));
        assertThat(sessions).as("none goes to the loop that has one less").hasSizeLessThan(100);
      }
    }
  }

  @Test
  void withOneLoopAllAreOnIt() {
    try (VerbenaServer server = server(new Where()).loops(1).start();
        VerbenaClient client = client()) {
      assertThat(sessionsByLoop(connect(client, server, 4))).hasSize(1);
    }
  }

  @Test
  void sessionsAreCountedOverAllLoops() {
    try (VerbenaServer server = server(new Where()).maxSessions(4).start();
        VerbenaClient client = client()) {
      List<Session> sessions = connect(client, server, 4);
      String address = server.address().toString();
      assertThatThrownBy(() -> client.connect(address))
          .isInstanceOfSatisfying(
              RpcException.class, e -> assertThat(e.status()).isEqualTo(RpcStatus.UNAVAILABLE))
          .hasMessageContaining("maxSessions");
      sessions.removeLast().close();
      assertThat(sessionsByLoop(sessions)).values().containsOnly(1);
    }
  }

  @Test
  void whereTheConnectionIsLostASessionGoesOnOnItsLoopAndNoCallIsLostOrDoubled() throws Exception {
    int calls = Boolean.getBoolean("verbena.long") ? 2_000 : 1_000;
    int each = LOOPS + 1;
    long seed = Seed.number("LoopsTest");
    AtomicIntegerArray executions = new AtomicIntegerArray(calls * each);
    House counting =
        new Where() {
          @Override
          public long add(long number) {
            executions.incrementAndGet((int) number);
            return super.add(number);
          }
        };
    try (VerbenaServer server = server(counting).start();
        CuttingProxy proxy = new CuttingProxy(server.address(), new Random(seed));
        VerbenaClient client = client()) {
      List<Session> sessions = new ArrayList<>();
      List<String> homes = new ArrayList<>();
      for (int i = 0; i < each; i++) {
        sessions.add(client.connect(proxy.address()));
        homes.add(loopOf(sessions.getLast()));
      }
      List<CompletableFuture<Long>> answers = new ArrayList<>();
      for (int i = 0; i < calls * each; i++) {
        answers.add(HouseRpc.async(sessions.get(i % each)).add(i).toCompletableFuture());
        if (i >= FLYING) { // a session that is resumed waits, and so do those that go on
          answers.get(i - FLYING).get(60, TimeUnit.SECONDS);
        }
      }
      for (int i = 0; i < answers.size(); i++) {
        assertThat(answers.get(i).get(60, TimeUnit.SECONDS)).isEqualTo(i + 1L);
        assertThat(executions.get(i)).as("executions of call %d", i).isEqualTo(1);
      }
      for (int i = 0; i < each; i++) {
        assertThat(loopOf(sessions.get(i))).isEqualTo(homes.get(i));
      }
      assertThat(proxy.cuts()).isGreaterThan(each);
    }
  }

  @Test
  void encryptedSessionsAreSpreadToo() throws Exception {
    TestIdentity key = TestIdentity.create("CN=server", "ip:127.0.0.1");
    try (VerbenaServer server = server(new Where()).tls(TlsOptions.server(key.trusting())).start();
        VerbenaClient client =
            VerbenaClient.builder()
                .limits(PATIENT)
                .tls(TlsOptions.client(TestIdentity.nobodyTrusting(key)))
                .build()) {
      List<Session> sessions = connect(client, server, 2 * LOOPS);
      assertThat(sessionsByLoop(sessions)).hasSize(LOOPS).values().containsOnly(2);
    }
  }

  @Test
  void callsThatRunOnAnyLoopEndBeforeTheServerIsClosed() {
    Slow slow = new Slow();
    VerbenaServer server = server(slow).start();
    try (VerbenaClient client = client()) {
      List<Session> sessions = connect(client, server, 2 * LOOPS);
      List<CompletableFuture<String>> running =
          sessions.stream().map(one -> HouseRpc.async(one).whoAmI().toCompletableFuture()).toList();
      sessions.forEach(LoopsTest::loopOf); // behind it: the slow one has begun
      CompletableFuture<Void> closed = CompletableFuture.runAsync(server::close);
      await()
          .atMost(LONGEST)
          .until(() -> sessions.stream().allMatch(one -> one.state() == SessionState.DRAINING));
      assertThat(closed).isNotDone();
      slow.goOn.countDown();
      assertThat(running)
          .allSatisfy(one -> assertThat(one).succeedsWithin(LONGEST).isEqualTo("done"));
      assertThat(closed).succeedsWithin(LONGEST);
    } finally {
      slow.goOn.countDown();
      server.close();
    }
  }

  @Test
  void aClientsSessionsAreSpreadOverLoopsOfItsOwn() {
    Slow slow = new Slow();
    try (VerbenaServer server = server(slow).start();
        VerbenaClient client = VerbenaClient.builder().loops(LOOPS).build()) {
      List<CompletableFuture<String>> hearing = new ArrayList<>();
      for (Session session : connect(client, server, 2 * LOOPS)) {
        // The reply comes after this is chained to it, and so is heard by the session's loop.
        hearing.add(
            HouseRpc.async(session)
                .whoAmI()
                .thenApply(done -> Thread.currentThread().getName())
                .toCompletableFuture());
      }
      slow.goOn.countDown();
      Map<String, Integer> heard = new HashMap<>();
      hearing.forEach(one -> heard.merge(one.join(), 1, Integer::sum));
      assertThat(heard).hasSize(LOOPS).values().containsOnly(2);
    }
  }
}
