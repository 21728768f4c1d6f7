package io.verbena.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.verbena.api.SessionState;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Three servers over TCP, which shut down while calls go on. */
class RealServersTest {
  private static final int CALLERS = 4;
  private static final int CALLS = 500;

  private final List<Branch> branches = new ArrayList<>();
  private static final int OPENINGS = 100;

  private final List<VerbenaServer> servers = new ArrayList<>();
  private final VerbenaClient client = VerbenaClient.builder().build();
  private final ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor();

  RealServersTest() {
    for (String name : List.of("a", "b", "c")) {
      servers.add(start(name, "localhost:0"));
    }
  }

  @AfterEach
  void close() {
    callers.close();
    client.close();
    servers.forEach(VerbenaServer::close);
  }

  private VerbenaServer start(String name, String address) {
    Branch branch = new Branch(name);
    branches.add(branch);
    return VerbenaServer.builder().listen(address).serve(ShopRpc.bind(branch)).start();
  }

  private BalancedChannel channel(Consumer<BalancedChannel.Builder> settings) {
    List<String> addresses = servers.stream().map(server -> server.address().toString()).toList();
    BalancedChannel.Builder builder =
        BalancedChannel.builder(client, "static:" + String.join(",", addresses));
    settings.accept(builder);
    return builder.build();
  }

  private List<String> executed() {
    List<String> executed = new ArrayList<>();
    branches.forEach(branch -> executed.addAll(branch.executed));
    return executed;
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void noCallFailsWhereOneShutsDown(boolean closes) throws Exception {
    try (BalancedChannel channel = channel(c -> {})) {
      Shop shop = ShopRpc.client(channel);
      CountDownLatch underWay = new CountDownLatch(CALLERS * CALLS / 4);
      List<Future<?>> made = new ArrayList<>();
      for (int i = 0; i < CALLERS; i++) {
        int caller = i;
        made.add(
            callers.submit(
                () -> {
                  for (int j = 0; j < CALLS; j++) {
                    shop.once(caller + "/" + j);
                    underWay.countDown();
                  }
                }));
      }
      underWay.await();
      if (closes) {
        servers.getFirst().close();
      } else {
        servers.getFirst().drain();
      }
      for (Future<?> calls : made) {
        calls.get(); // fails if one call did
      }
      assertThat(executed()).hasSize(CALLERS * CALLS).doesNotHaveDuplicates();
      assertThat(branches.getFirst().executed).isNotEmpty();
      assertThat(channel.stat().calls()).isEqualTo(CALLERS * CALLS);
    }
  }

  /** At any moment of its opening: a server that becomes ready meanwhile is no reason to fail. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void callsWaitForASessionThatOpens(boolean asksForHealth) {
    servers.add(start("d", "mem://opens-soon"));
    for (int i = 0; i < OPENINGS; i++) {
      BalancedChannel.Builder opening = BalancedChannel.builder(client, "static:mem://opens-soon");
      if (asksForHealth) {
        opening.health("", Duration.ofSeconds(5));
      }
      try (BalancedChannel channel = opening.build()) {
        LockSupport.parkNanos(i % 100 * 1_000L);
        assertThat(ShopRpc.client(channel).who("early")).isEqualTo("d");
      }
    }
  }

  @Test
  void aBlockingCallWaitsForAServerAndIsHedged() {
    String address = servers.getFirst().address().toString();
    servers.forEach(VerbenaServer::close);
    try (BalancedChannel channel =
        channel(
            c ->
                c.waitForReady()
                    .hedgeAfter(Duration.ofMillis(1))
                    .reconnect(Backoff.of(Duration.ofMillis(5), Duration.ofMillis(20))))) {
      Shop shop = ShopRpc.client(channel);
      Future<String> hedged = callers.submit(() -> shop.who("hedged"));
      Future<String> once = callers.submit(() -> shop.once("once"));
      await().until(() -> channel.stat().calls() == 2);
      assertThat(hedged).isNotDone();
      servers.set(0, start("late", address));
      assertThat(hedged).succeedsWithin(Duration.ofSeconds(10)).isEqualTo("late");
      assertThat(once).succeedsWithin(Duration.ofSeconds(10)).isEqualTo("late");
    }
  }

  @Test
  void noCallFailsWhereOneAfterTheOtherIsReplaced() throws Exception {
    Backoff soon = Backoff.of(Duration.ofMillis(5), Duration.ofMillis(20));
    try (BalancedChannel channel = channel(c -> c.reconnect(soon))) {
      Shop shop = ShopRpc.client(channel);
      AtomicBoolean enough = new AtomicBoolean();
      AtomicLong made = new AtomicLong();
      List<Future<?>> calling = new ArrayList<>();
      for (int i = 0; i < CALLERS; i++) {
        calling.add(
            callers.submit(
                () -> {
                  while (!enough.get()) {
                    shop.once("call " + made.incrementAndGet());
                  }
                }));
      }
      for (int i = 0; i < 3; i++) {
        Branch leaving = branches.get(i);
        await().until(() -> isOpenEverywhere(channel) && !leaving.executed.isEmpty());
        String address = servers.get(i).address().toString();
        servers.get(i).close();
        servers.set(i, start("next " + i, address));
      }
      await().until(() -> isOpenEverywhere(channel));
      await().until(() -> branches.stream().noneMatch(branch -> branch.executed.isEmpty()));
      enough.set(true);
      for (Future<?> calls : calling) {
        calls.get(); // fails if one call did
      }
      assertThat(executed()).hasSize((int) made.get()).doesNotHaveDuplicates();
    }
  }

  private static boolean isOpenEverywhere(BalancedChannel channel) {
    return channel.stat().endpoints().stream()
        .allMatch(endpoint -> endpoint.state() == SessionState.OPEN);
  }
}
