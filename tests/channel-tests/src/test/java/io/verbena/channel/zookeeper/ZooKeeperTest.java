package io.verbena.channel.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.verbena.api.RpcException;
import io.verbena.channel.BalancedChannel;
import io.verbena.channel.Endpoint;
import io.verbena.channel.Resolver;
import io.verbena.channel.town.Heard;
import io.verbena.channel.town.ShopRpc;
import io.verbena.core.VerbenaServer;
import io.verbena.testkit.JavaProcess;
import io.verbena.testkit.RefusedThreads;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.curator.test.TestingServer;
import org.apache.curator.x.discovery.ServiceDiscovery;
import org.apache.curator.x.discovery.ServiceDiscoveryBuilder;
import org.apache.curator.x.discovery.ServiceInstance;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Servers that come and go, where ZooKeeper is well. */
class ZooKeeperTest {
  private static TestingServer zooKeeper;
  private static CuratorFramework curator;

  @BeforeAll
  static void start() throws Exception {
    zooKeeper = new TestingServer();
    curator =
        CuratorFrameworkFactory.newClient(zooKeeper.getConnectString(), new RetryOneTime(100));
    curator.start();
  }

  @AfterAll
  static void stop() throws Exception {
    curator.close();
    zooKeeper.close();
  }

  private static String target(String path) {
    return "zookeeper://" + zooKeeper.getConnectString() + path;
  }

  @Test
  void aChannelFindsTheServersThatAreRegistered() {
    String zooKeepers = zooKeeper.getConnectString();
    try (ZooKeeperTown town = new ZooKeeperTown(target("/verbena/store"))) {
      VerbenaServer server = town.server("a");
      ZooKeeperRegistration.builder(server, "zookeeper://" + zooKeepers + "/verbena/store")
          .advertise("127.0.0.1") // where clients reach it; needed where it listens at 0.0.0.0
          .weight(3)
          .zone("eu-1")
          .register();
      VerbenaServer other = town.open("b");
      town.awaitKnown(server, other);
      town.awaitAnswersFrom("a", "b");
      assertThat(town.endpoints())
          .contains(new Endpoint(ZooKeeperTown.address(server), 3, "eu-1", Map.of()))
          .contains(Endpoint.of(ZooKeeperTown.address(other)));
    }
  }

  @Test
  void aServerThatIsWithdrawnServesOn() {
    String target = target("/verbena/withdrawn");
    try (ZooKeeperTown town = new ZooKeeperTown(target)) {
      VerbenaServer server = town.server("a");
      ZooKeeperRegistration registration =
          ZooKeeperRegistration.builder(server, target).attribute("disk", "ssd").register();
      VerbenaServer other = town.open("b");
      town.awaitKnown(server, other);
      assertThat(town.endpoints())
          .contains(new Endpoint(ZooKeeperTown.address(server), 1, "", Map.of("disk", "ssd")));
      registration.close();
      registration.close();
      town.awaitKnown(other);
      assertThatThrownBy(
              () -> ZooKeeperRegistration.builder(server, target).attribute("zone", "eu-1"))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("none of [weight, zone, authority, @class], not zone");
    }
  }

  @Test
  void noCallFailsWhereOneServerGoesAndAnotherComes() throws Exception {
    try (ZooKeeperTown town = new ZooKeeperTown(target("/verbena/moving"))) {
      VerbenaServer a = town.open("a");
      VerbenaServer b = town.open("b");
      town.awaitKnown(a, b);
      town.call();
      a.close();
      town.awaitKnown(b);
      VerbenaServer c = town.open("c");
      town.awaitKnown(b, c);
      b.close();
      town.awaitKnown(c);
      town.awaitCalls();
      town.stopCalling();
    }
  }

  @Test
  void aServerIsOutOfItsRegistryBeforeItTakesNoMoreCalls() throws Exception {
    try (ZooKeeperTown town = new ZooKeeperTown(target("/verbena/order"))) {
      VerbenaServer server = town.open("a");
      town.awaitKnown(server);
      server.drain();
      await().until(() -> curator.getChildren().forPath("/verbena/order").isEmpty());
    }
  }

  /** Its session would keep the node for 15 s. */
  @Test
  @Tag("long")
  void aProcessThatIsAskedToEndLeavesAtOnceAndInSilence() throws Exception {
    String target = target("/verbena/process");
    try (JavaProcess process = JavaProcess.of(ShopProcess.class, target).mergesErrors().start();
        ZooKeeperTown town = new ZooKeeperTown(target)) {
      await()
          .atMost(Duration.ofMinutes(2))
          .until(() -> curator.checkExists().forPath("/verbena/process") != null);
      assertThat(town.shop().who("")).isEqualTo("process");
      process.terminate();
      await().until(() -> curator.getChildren().forPath("/verbena/process").isEmpty());
      assertThat(process.end(Duration.ofSeconds(10)).out()).isEmpty();
    }
  }

  @Test
  void findsWhatCuratorsDiscoveryRegistersAndTheOtherWayRound() throws Exception {
    try (ZooKeeperTown town = new ZooKeeperTown(target("/foreign/store"));
        ServiceDiscovery<Object> discovery =
            ServiceDiscoveryBuilder.builder(Object.class)
                .client(curator)
                .basePath("/foreign")
                .build()) {
      discovery.start();
      VerbenaServer theirs = town.server("theirs");
      ServiceInstance<Object> instance =
          ServiceInstance.builder()
              .name("store")
              .address("127.0.0.1")
              .port(theirs.address().getPort())
              .payload(Map.of("version", List.of(1, 2)))
              .build();
      discovery.registerService(instance);
      VerbenaServer ours = town.open("ours");
      town.awaitKnown(theirs, ours);
      assertThat(discovery.queryForInstances("store"))
          .extracting(ServiceInstance::getPort)
          .containsExactlyInAnyOrder(theirs.address().getPort(), ours.address().getPort());
    }
  }

  @Test
  void theLastServersAreKeptForAWhile() throws Exception {
    HeldTime time = new HeldTime();
    String target = target("/verbena/last");
    try (ZooKeeperTown town = new ZooKeeperTown(target, settings -> settings.time(time))) {
      VerbenaServer server = town.server("a");
      String json = "{\"address\":\"127.0.0.1\",\"port\":%d}".formatted(server.address().getPort());
      curator
          .create()
          .creatingParentsIfNeeded()
          .forPath("/verbena/last/hand", json.getBytes(StandardCharsets.UTF_8));
      town.awaitKnown(server);
      await().until(time::holdsNothing);
      curator.delete().forPath("/verbena/last/hand");
      await().until(() -> !time.holdsNothing());
      assertThat(town.shop().who("")).isEqualTo("a");
      time.pass();
      await().until(() -> town.endpoints().isEmpty());
      assertThatThrownBy(() -> town.shop().who("")).isInstanceOf(RpcException.class);
    }
  }

  @Test
  void saysWhereNobodyIsRegistered() {
    String target = target("/verbena/nobody");
    try (ZooKeeperTown town = new ZooKeeperTown(target, settings -> {})) {
      assertThatThrownBy(() -> town.shop().who(""))
          .isInstanceOf(RpcException.class)
          .hasMessageContaining("no server is registered in " + target);
    }
  }

  @Test
  void refusesTargetsThatAreNone() {
    try (ZooKeeperTown town = new ZooKeeperTown("static:nobody:1")) {
      for (String target :
          List.of(
              "zookeeper:///verbena/store",
              "zookeeper://zk:2181",
              "zookeeper://zk:2181/",
              "zookeeper://zk:2181/verbena/",
              "zookeeper://zk:port/verbena",
              "zookeeper:zk/verbena")) {
        assertThatThrownBy(() -> BalancedChannel.builder(town.client(), target).build())
            .as(target)
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("write zookeeper://zk1:2181,zk2:2181/verbena/store");
      }
    }
  }

  @Test
  void refusesToAdvertiseWhatNobodyReaches() {
    try (VerbenaServer server =
        VerbenaServer.builder().listen("0.0.0.0:0").serve(ShopRpc.bind(text -> "a")).start()) {
      ZooKeeperRegistration.Builder builder =
          ZooKeeperRegistration.builder(server, target("/verbena/everywhere"));
      assertThatThrownBy(builder::register)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("advertise(\"10.0.0.5\")");
      assertThatThrownBy(() -> builder.advertise("mem://a"))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("write host or host:port");
      builder.advertise("127.0.0.1").register().close();
    }
  }

  @Test
  void serversAreFoundThoughHandlersBurnEveryCarrier() throws Exception {
    AtomicBoolean enough = new AtomicBoolean();
    for (int i = 0; i < Runtime.getRuntime().availableProcessors(); i++) {
      Thread.startVirtualThread(
          () -> {
            while (!enough.get()) {
              Thread.onSpinWait();
            }
          });
    }
    try (ZooKeeperTown town = new ZooKeeperTown(target("/verbena/busy"))) {
      town.awaitKnown(town.open("a"));
    } finally {
      enough.set(true);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3})
  @SuppressWarnings("ThreadLocalUsage") // one for each test
  void serversAreFoundAsSoonAsThereAreThreadsAgain(int threadsThereAre) throws Exception {
    CountDownLatch refusedOrNotNeeded = new CountDownLatch(1);
    RefusedThreads refused = new RefusedThreads(refusedOrNotNeeded::countDown);
    String target = target("/verbena/no-threads-" + threadsThereAre);
    String anotherClients = target.replace("127.0.0.1", "localhost");
    HeldTime time = new HeldTime();
    Resolver resolver = new ZooKeeperProvider().resolver(URI.create(anotherClients), time);
    Heard heard = new Heard(refusedOrNotNeeded::countDown);
    try (ZooKeeperTown town = new ZooKeeperTown(target)) {
      town.awaitKnown(town.open("a"));
      refused.after(threadsThereAre);
      resolver.start(heard);
      assertThat(refusedOrNotNeeded.await(30, TimeUnit.SECONDS)).isTrue();
      if (threadsThereAre == 0) {
        assertThat(heard.failures().poll(30, TimeUnit.SECONDS)).contains(RefusedThreads.WORDS);
      }
      refused.allow();
      await()
          .until(
              () -> {
                time.pass(); // so that it looks again
                return heard.found().poll(100, TimeUnit.MILLISECONDS) != null;
              });
    } finally {
      refused.close();
      resolver.close();
    }
  }
}
