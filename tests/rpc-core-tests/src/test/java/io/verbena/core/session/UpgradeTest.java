package io.verbena.core.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.CallOptions;
import io.verbena.api.Execution;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.Session;
import io.verbena.api.SessionState;
import io.verbena.core.PathPolicy;
import io.verbena.core.Probe;
import io.verbena.core.SessionLimits;
import io.verbena.core.VerbenaClient;
import io.verbena.link.UpgradeDriver;
import io.verbena.link.UpgradeProvider;
import io.verbena.link.UpgradeProvider.Availability;
import io.verbena.mem.InMemoryNetwork;
import io.verbena.testkit.InMemoryUpgrade;
import io.verbena.testkit.Seed;
import io.verbena.testkit.SteppedWorld;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Sessions change to a better link by themselves, and back when it fails, and lose nothing by it.
 */
class UpgradeTest {
  private static final int MIXED_CALLS = Boolean.getBoolean("verbena.long") ? 3_000 : 800;
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);

  private final SteppedWorld world = new SteppedWorld();
  private final InMemoryNetwork fast = new InMemoryNetwork(world.clock(), 16);
  private final InMemoryUpgrade upgrade = new InMemoryUpgrade(fast);
  private final InMemoryUpgrade server = new InMemoryUpgrade(fast);
  private final Map<String, Integer> executions = new HashMap<>();
  private final List<String> order = new ArrayList<>();

  private final class Counting extends Probe.Plain {
    @Override
    public String echo(String text) {
      executions.merge(text, 1, Integer::sum);
      order.add(text);
      return text;
    }

    @Override
    public String slow(String text) {
      executions.merge(text, 1, Integer::sum);
      return text;
    }
  }

  private Session session(PathPolicy client, PathPolicy server) {
    world.server(s -> s.serve(Probe.bind(new Counting())).upgrades(upgrade).path(server));
    VerbenaClient user = world.client(c -> c.upgrades(upgrade).path(client));
    return user.session(world.address());
  }

  private Session session() {
    return session(PathPolicy.PREFER_RDMA, PathPolicy.PREFER_RDMA);
  }

  @AfterEach
  void close() {
    world.close();
  }

  private String call(Session session, String text) {
    return world.result(new Probe.Stub(session).submit(Probe.ECHO, text));
  }

  private URI fastLink() {
    return Objects.requireNonNull(upgrade.lastOffer());
  }

  @Test
  void aSessionUpgradesByItselfAndSaysSo() {
    Session session = session();
    call(session, "first");
    world.passHeadStart();
    assertThat(upgrade.lastOffer()).isNotNull();
    assertThat(session.path().reason()).as("nothing keeps it from the better link").isEmpty();
    assertThat(call(session, "second")).isEqualTo("second");
  }

  @Test
  void callsKeepTheirOrderAcrossTheChange() {
    Session session = session();
    Probe.Stub stub = new Probe.Stub(session);
    List<String> sent = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      String text = "n" + i + (i % 17 == 0 ? "x".repeat(100_000) : "");
      sent.add(text);
      stub.submit(Probe.ECHO, text);
      world.step();
    }
    world.pass(Duration.ofSeconds(1));
    assertThat(order).isEqualTo(sent);
  }

  @Test
  void withoutADeviceTheReasonIsTheFirstThingToSee() {
    upgrade.availability(new Availability.Unavailable("no verbs device on this host"));
    Session session = session();
    call(session, "text");
    assertThat(session.path().reason()).contains("no verbs device on this host");
  }

  @Test
  void aDeviceThatComesLaterIsFoundByOpenSessions() {
    upgrade.availability(new Availability.Unavailable("no verbs device on this host"));
    Session session = session();
    call(session, "text");
    upgrade.availability(new Availability.Available("mem1"));
    world.pass(Duration.ofSeconds(2));
    assertThat(session.path().reason()).doesNotContain("no verbs device");
    assertThat(upgrade.lastOffer()).isNotNull();
  }

  @Test
  void aPeerThatWantsTcpOnlyIsLeftInPeace() {
    Session session = session(PathPolicy.PREFER_RDMA, PathPolicy.TCP_ONLY);
    call(session, "text");
    world.passHeadStart();
    assertThat(session.path().reason()).contains("on the server: stays on mem by policy");
    assertThat(upgrade.lastOffer()).isNull();
  }

  @Test
  void aClientThatRequiresTheBetterPathFailsClearlyWithoutIt() {
    upgrade.availability(new Availability.Unavailable("no verbs device on this host"));
    Session session = session(PathPolicy.REQUIRE_RDMA, PathPolicy.PREFER_RDMA);
    CompletableFuture<String> call = new Probe.Stub(session).submit(Probe.ECHO, "never");
    world.runUntil(call::isDone);
    RpcException failure = (RpcException) call.exceptionNow();
    assertThat(failure.status()).isEqualTo(RpcStatus.UNAVAILABLE);
    assertThat(failure).hasMessageContaining("RDMA is required").hasMessageContaining("no verbs");
    assertThat(executions).isEmpty();
  }

  @Test
  void aClientThatRequiresTheBetterPathCallsOnceItIsThere() {
    Session session = session(PathPolicy.REQUIRE_RDMA, PathPolicy.PREFER_RDMA);
    assertThat(call(session, "text")).isEqualTo("text");
  }

  @Test
  void aServerThatRequiresTheBetterPathRefusesCallsByAnother() {
    Session session = session(PathPolicy.TCP_ONLY, PathPolicy.REQUIRE_RDMA);
    CompletableFuture<String> call = new Probe.Stub(session).submit(Probe.ECHO, "never");
    world.runUntil(call::isDone);
    RpcException failure = (RpcException) call.exceptionNow();
    assertThat(failure.status()).isEqualTo(RpcStatus.UNAVAILABLE);
    assertThat(failure.execution()).isEqualTo(Execution.NOT_EXECUTED);
    assertThat(failure).hasMessageContaining("the peer requires RDMA");
    assertThat(executions).isEmpty();
  }

  /** Returns a call back from a server that requires the better path, when it has failed. */
  private RpcException failureOfACallBack(PathPolicy client) {
    List<Session> accepted = new ArrayList<>();
    world.server(s -> s.onSession(accepted::add).upgrades(server).path(PathPolicy.REQUIRE_RDMA));
    Session session =
        world
            .client(c -> c.upgrades(upgrade).path(client).connectTimeout(CONNECT_TIMEOUT))
            .session(world.address());
    session.serve(Probe.bind(new Counting()));
    CompletableFuture<String> _ = new Probe.Stub(session).submit(Probe.ECHO, "opens the session");
    world.runUntil(() -> !accepted.isEmpty());
    CallOptions patient = CallOptions.timeout(Duration.ofHours(1));
    long before = world.clock().nanoTime();
    CompletableFuture<String> call =
        new Probe.Stub(accepted.getFirst(), patient).submit(Probe.ECHO, "never");
    world.runUntil(call::isDone);
    assertThat(Duration.ofNanos(world.clock().nanoTime() - before))
        .isLessThanOrEqualTo(CONNECT_TIMEOUT.plusSeconds(1));
    return (RpcException) call.exceptionNow();
  }

  @Test
  void aServerThatRequiresTheBetterPathFailsClearlyWithoutIt() {
    server.availability(new Availability.Unavailable("no verbs device on this host"));
    RpcException failure = failureOfACallBack(PathPolicy.PREFER_RDMA);
    assertThat(failure.status()).isEqualTo(RpcStatus.UNAVAILABLE);
    assertThat(failure.execution()).isEqualTo(Execution.NOT_EXECUTED);
    assertThat(failure).hasMessageContaining("RDMA is required").hasMessageContaining("no verbs");
    assertThat(executions).isEmpty();
  }

  @Test
  void aServerThatRequiresTheBetterPathWaitsNoLongerThanToConnectForItsClientToAsk() {
    RpcException failure = failureOfACallBack(PathPolicy.TCP_ONLY);
    assertThat(failure.status()).isEqualTo(RpcStatus.UNAVAILABLE);
    assertThat(failure.execution()).isEqualTo(Execution.NOT_EXECUTED);
    assertThat(failure)
        .hasMessageContaining("RDMA is required")
        .hasMessageContaining("the client has not requested a better link");
    assertThat(executions).isEmpty();
  }

  @Test
  void whereBothEndsRequireTheBetterPathTheFirstCallWaitsForIt() {
    Session session = session(PathPolicy.REQUIRE_RDMA, PathPolicy.REQUIRE_RDMA);
    assertThat(call(session, "first")).isEqualTo("first");
    fast.drop(fastLink(), "cable pulled");
    world.settle();
    assertThat(call(session, "by the next one")).isEqualTo("by the next one");
  }

  @Test
  void whenTheBetterLinkDiesCallsGoOnOverTheFirstAndThenReturn() {
    Session session = session();
    call(session, "first");
    world.passHeadStart();
    URI lost = fastLink();
    fast.drop(lost, "cable pulled");
    world.settle();
    assertThat(session.path().reason()).contains("mem lost: ");
    assertThat(call(session, "meanwhile")).isEqualTo("meanwhile");
    world.pass(Duration.ofSeconds(2));
    assertThat(fastLink()).isNotEqualTo(lost);
    assertThat(session.path().reason()).doesNotContain("lost");
    assertThat(executions).allSatisfy((text, count) -> assertThat(count).isEqualTo(1));
  }

  @Test
  void aSilentBetterLinkIsNoticedWhileTheSessionStaysOpen() {
    Session session = session();
    call(session, "first");
    world.passHeadStart();
    fast.cut(fastLink());
    CompletableFuture<String> call = new Probe.Stub(session).submit(Probe.ECHO, "into silence");
    world.runUntil(call::isDone);
    assertThat(call).isCompletedWithValue("into silence");
    assertThat(executions).containsEntry("into silence", 1);
  }

  @Test
  void nothingIsLostAndNothingExecutedTwiceWhateverLinksDieWhen() {
    Session session = session();
    Probe.Stub stub = new Probe.Stub(session);
    Random random = Seed.random("links of both kinds die at random");
    List<CompletableFuture<String>> calls = new ArrayList<>();
    List<String> sent = new ArrayList<>();
    for (int i = 0; i < MIXED_CALLS; i++) {
      String text = i + "x".repeat(random.nextInt(30) == 0 ? random.nextInt(200_000) : 10);
      sent.add(text);
      calls.add(stub.submit(random.nextBoolean() ? Probe.ECHO : Probe.SLOW, text));
      for (int steps = random.nextInt(6); steps > 0; steps--) {
        world.step();
      }
      if (random.nextInt(4) == 0) {
        world.runHandlers();
      }
      if (random.nextInt(20) == 0 && upgrade.lastOffer() != null) {
        fast.drop(fastLink(), "better link dropped by the test");
      }
      if (random.nextInt(60) == 0) {
        world.network().drop(URI.create(world.address()), "first link dropped by the test");
      }
      if (i % 20 == 0) {
        world.pass(Duration.ofMillis(random.nextInt(400)));
      }
    }
    world.pass(Duration.ofSeconds(3));
    assertThat(calls).allMatch(CompletableFuture::isDone);
    for (CompletableFuture<String> call : calls) {
      assertThat(call.isCompletedExceptionally()).as(() -> String.valueOf(call)).isFalse();
    }
    sent.forEach(text -> assertThat(executions.get(text)).isEqualTo(1));
  }

  @Test
  void framesUnderWayOnTheFirstLinkWhileTheBetterOneDiesAreTaken() {
    // Stops the client's world for a while, so that what it sent is under way when things happen.
    for (int before = 0; before < 12; before++) {
      for (int between = 0; between < 4; between++) {
        oneDeath(before, between);
      }
    }
  }

  private void oneDeath(int before, int between) {
    Session session = world.client(c -> c.upgrades(upgrade)).session(world.address());
    Probe.Stub stub = new Probe.Stub(session);
    List<CompletableFuture<String>> calls = new ArrayList<>();
    String name = "death " + before + "." + between + ".";
    if (before + between == 0) {
      session(PathPolicy.PREFER_RDMA, PathPolicy.PREFER_RDMA);
    }
    URI last = upgrade.lastOffer();
    calls.add(stub.submit(Probe.ECHO, name + "first"));
    calls.add(stub.submit(Probe.ECHO, name + "whose answer is the second message"));
    for (int i = 0; i < 100 && Objects.equals(last, upgrade.lastOffer()); i++) {
      world.step();
    }
    URI first = URI.create(world.address());
    for (int i = 0; i < before; i++) {
      calls.add(stub.submit(Probe.ECHO, name + "b" + i));
      if (i == before / 2) {
        world.network().cut(first);
      }
      world.step();
    }
    fast.drop(fastLink(), "dropped by the test");
    for (int i = 0; i < between; i++) {
      world.step();
      calls.add(stub.submit(Probe.ECHO, name + "a" + i));
    }
    world.network().heal(first);
    world.pass(Duration.ofMillis(200));
    for (CompletableFuture<String> call : calls) {
      assertThat(call.isDone() && !call.isCompletedExceptionally())
          .as(() -> name + " " + call)
          .isTrue();
    }
    assertThat(executions).allSatisfy((text, count) -> assertThat(count).isEqualTo(1));
    session.close();
    world.settle();
  }

  @Test
  void aRequestThatIsTooLongForAGreetingIsMadeBehindIt() {
    try (SteppedWorld small = new SteppedWorld()) {
      InMemoryUpgrade real = new InMemoryUpgrade(new InMemoryNetwork(small.clock(), 16));
      UpgradeProvider wordy =
          forwarding(
              UpgradeProvider.class,
              real,
              "newDriver",
              driver ->
                  forwarding(
                      UpgradeDriver.class,
                      (UpgradeDriver) driver,
                      "request",
                      request -> new byte[64 * 1024]));
      small.server(s -> s.serve(Probe.bind(new Counting())).upgrades(real));
      Session session = small.client(c -> c.upgrades(wordy)).session(small.address());
      CompletableFuture<String> call = new Probe.Stub(session).submit(Probe.ECHO, "text");
      small.runUntil(call::isDone);
      small.passHeadStart();
      assertThat(call).isCompletedWithValue("text");
      assertThat(session.path().reason()).as("upgraded").isEmpty();
    }
  }

  /** Returns what it is given, but for what one method returns. */
  private static <T> T forwarding(
      Class<T> type, T real, String method, UnaryOperator<Object> instead) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (self, called, arguments) -> {
              Object result = called.invoke(real, arguments);
              return called.getName().equals(method) ? instead.apply(result) : result;
            }));
  }

  @Test
  void messagesCutForTheFirstLinkNeedNotFitTheBetterOne() {
    // The first link takes so few frames that one is always cut for it and has not left.
    try (SteppedWorld small = new SteppedWorld(SessionLimits.DEFAULT, 4)) {
      InMemoryUpgrade narrow = new InMemoryUpgrade(new InMemoryNetwork(small.clock(), 16), 2048);
      small.server(s -> s.serve(Probe.bind(new Counting())).upgrades(narrow));
      Session session = small.client(c -> c.upgrades(narrow)).session(small.address());
      Probe.Stub stub = new Probe.Stub(session);
      List<CompletableFuture<String>> calls = new ArrayList<>();
      for (int i = 0; i < 40; i++) {
        calls.add(stub.submit(Probe.ECHO, i + "x".repeat(300_000)));
      }
      small.pass(Duration.ofSeconds(1));
      assertThat(narrow.lastOffer()).isNotNull();
      assertThat(calls).allMatch(CompletableFuture::isDone);
      assertThat(calls).noneMatch(CompletableFuture::isCompletedExceptionally);
    }
  }

  @Test
  void nothingIsLostWhereLinksStallAndDieWithFramesUnderWay() {
    Random random = Seed.random("links of both kinds stall and die at random");
    int rounds = Boolean.getBoolean("verbena.long") ? 12 : 2;
    for (int round = 0; round < rounds; round++) {
      executions.clear();
      try (SteppedWorld small = new SteppedWorld(SessionLimits.DEFAULT, 2 + random.nextInt(40))) {
        stallAndDie(small, random);
      }
    }
  }

  private void stallAndDie(SteppedWorld small, Random random) {
    InMemoryNetwork better = new InMemoryNetwork(small.clock(), 2 + random.nextInt(20));
    InMemoryUpgrade links = new InMemoryUpgrade(better, 1024 + random.nextInt(70_000));
    small.server(s -> s.serve(Probe.bind(new Counting())).upgrades(links));
    Session session = small.client(c -> c.upgrades(links)).session(small.address());
    Probe.Stub stub = new Probe.Stub(session, CallOptions.timeout(Duration.ofHours(1)));
    URI first = URI.create(small.address());
    List<CompletableFuture<String>> calls = new ArrayList<>();
    boolean opened = false; // before that it takes 64 calls, however many are made
    for (int i = 0; i < 600; i++) {
      String text = i + "x".repeat(random.nextInt(10) == 0 ? random.nextInt(200_000) : 10);
      calls.add(stub.submit(random.nextBoolean() ? Probe.ECHO : Probe.SLOW, text));
      for (int steps = random.nextInt(5); steps > 0; steps--) {
        small.step();
      }
      if (random.nextInt(4) == 0) {
        small.runHandlers();
      }
      URI second = links.lastOffer();
      opened |= session.state() == SessionState.OPEN;
      if (second != null && opened) {
        switch (random.nextInt(60)) {
          case 0, 1, 2 -> better.drop(second, "better link dropped by the test");
          case 3, 4, 5 -> better.cut(second);
          case 6, 7, 8 -> better.heal(second);
          case 9 -> small.network().drop(first, "first link dropped by the test");
          case 10, 11, 12, 13 -> small.network().cut(first);
          case 14, 15, 16, 17, 18 -> small.network().heal(first);
          case 19, 20 -> small.pass(Duration.ofMillis(random.nextInt(1_500)));
          default -> {}
        }
      }
    }
    small.network().heal(first);
    small.pass(Duration.ofSeconds(20));
    for (CompletableFuture<String> call : calls) {
      assertThat(call.isDone() && !call.isCompletedExceptionally())
          .as(() -> call + " over " + session.path())
          .isTrue();
    }
    assertThat(executions).hasSize(600).allSatisfy((text, count) -> assertThat(count).isEqualTo(1));
  }

  private int offers() {
    String last = fastLink().toString();
    return Integer.parseInt(last.substring(last.lastIndexOf('-') + 1));
  }

  private void letsFlap(Session session, Duration up, int times) {
    letsFlap(session, up, times, () -> fast.drop(fastLink(), "it flaps"));
  }

  private void letsFlap(Session session, Duration up, int times, Runnable flap) {
    for (int i = 0; i < times; i++) {
      world.runUntil(() -> session.path().reason().isEmpty());
      world.pass(up);
      flap.run();
      world.settle();
    }
  }

  private void allLinksFlap() {
    world.network().drop(URI.create(world.address()), "it flaps");
    fast.drop(fastLink(), "it flaps");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aLinkThatFlapsGetsCallsLessAndLessOften(boolean withTheFirst) {
    Session session = session();
    call(session, "first");
    world.passHeadStart();
    long begun = world.clock().nanoTime();
    Runnable one = () -> fast.drop(fastLink(), "it flaps");
    letsFlap(session, Duration.ofSeconds(2), 6, withTheFirst ? this::allLinksFlap : one);
    world.runUntil(() -> session.path().reason().isEmpty());
    Duration took = Duration.ofNanos(world.clock().nanoTime() - begun);
    // Six times up for two seconds; between them half of 1, 2, 4, 8, 16 and 32 seconds at least.
    assertThat(took).isGreaterThan(Duration.ofSeconds(12 + 31));
    assertThat(offers()).isEqualTo(7);
  }

  @Test
  void oneThatHasStoodForAWhileIsUsedAgainSoon() {
    Session session = session();
    call(session, "first");
    world.passHeadStart();
    letsFlap(session, Duration.ofSeconds(2), 5);
    letsFlap(session, Duration.ofSeconds(61), 1);
    world.pass(Duration.ofMillis(1_100));
    assertThat(session.path().reason()).isEmpty();
  }

  @Test
  void sessionsThatLoseOneDeviceDoNotAllAskAtOnce() {
    world.server(s -> s.serve(Probe.bind(new Counting())).upgrades(upgrade));
    List<URI> links = new ArrayList<>();
    VerbenaClient user = world.client(c -> c.upgrades(upgrade));
    for (int i = 0; i < 20; i++) {
      Session session = user.session(world.address());
      call(session, "open " + i);
      world.passHeadStart();
      links.add(fastLink());
    }
    assertThat(links).doesNotHaveDuplicates();
    links.forEach(link -> fast.drop(link, "the device is reset"));
    world.settle();
    int before = offers();
    world.pass(Duration.ofMillis(750));
    int soon = offers() - before;
    world.pass(Duration.ofMillis(300));
    assertThat(offers() - before).isEqualTo(20);
    assertThat(soon).as("by the middle of the second half of the delay").isBetween(3, 17);
  }
}
