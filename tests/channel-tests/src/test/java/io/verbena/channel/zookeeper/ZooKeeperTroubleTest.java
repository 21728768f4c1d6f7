package io.verbena.channel.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.verbena.api.RpcException;
import io.verbena.channel.BalancedChannel;
import io.verbena.core.VerbenaServer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.curator.test.TestingServer;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** ZooKeeper is away, forgets a session, or has something else in a node. */
@Tag("long")
class ZooKeeperTroubleTest {
  private static final String PATH = "/verbena/store";

  private TestingServer zooKeeper;
  private CuratorFramework curator;
  private String target;

  @BeforeEach
  void start() throws Exception {
    zooKeeper = new TestingServer();
    target = "zookeeper://" + zooKeeper.getConnectString() + PATH;
    curator =
        CuratorFrameworkFactory.newClient(zooKeeper.getConnectString(), new RetryOneTime(100));
    curator.start();
  }

  @AfterEach
  void stop() throws Exception {
    curator.close();
    zooKeeper.close();
  }

  @Test
  void callsGoOnWhileZooKeeperIsAway() throws Exception {
    try (ZooKeeperTown town = new ZooKeeperTown(target)) {
      VerbenaServer a = town.open("a");
      VerbenaServer b = town.open("b");
      town.awaitKnown(a, b);
      town.call();
      zooKeeper.stop();
      town.awaitCalls();
      zooKeeper.restart();
      VerbenaServer c = town.open("c");
      town.awaitKnown(a, b, c);
      a.close();
      town.awaitKnown(b, c);
      town.awaitCalls();
      town.stopCalling();
    }
  }

  @Test
  void allIsFoundWhereZooKeeperComesLast() throws Exception {
    zooKeeper.stop();
    HeldTime time = new HeldTime();
    try (ZooKeeperTown town = new ZooKeeperTown(target, settings -> settings.time(time))) {
      VerbenaServer server = town.open("a");
      await().until(() -> !time.holdsNothing());
      time.pass();
      assertThatThrownBy(() -> town.shop().who(""))
          .isInstanceOf(RpcException.class)
          .hasMessageContaining("servers could not be looked up in " + target)
          .hasMessageContaining("check that ZooKeeper runs there");
      zooKeeper.restart();
      town.awaitKnown(server);
      assertThat(town.shop().who("")).isEqualTo("a");
    }
  }

  @Test
  void aRegistrationTellsWhetherItIsThereYet() throws Exception {
    zooKeeper.stop();
    try (ZooKeeperTown town = new ZooKeeperTown(target)) {
      VerbenaServer server = town.server("early");
      ZooKeeperRegistration early = ZooKeeperRegistration.builder(server, target).register();
      CompletableFuture<Void> registered = early.registered().toCompletableFuture();
      assertThat(registered).isNotDone();
      ZooKeeperRegistration given =
          ZooKeeperRegistration.builder(town.server("given up"), target).register();
      given.withdraw();
      assertThat(given.registered().toCompletableFuture())
          .failsWithin(Duration.ofSeconds(20))
          .withThrowableThat()
          .havingRootCause()
          .withMessageContaining("withdrawn from " + target + " before it was registered");
      zooKeeper.restart();
      assertThat(registered).succeedsWithin(Duration.ofSeconds(30));
      town.awaitKnown(server);
    }
  }

  @Test
  void aServerIsRegisteredAgainWhenItsSessionHasExpired() throws Exception {
    try (ZooKeeperTown town = new ZooKeeperTown(target)) {
      VerbenaServer server = town.server("a");
      ZooKeeperRegistration.builder(server, curator, PATH).register();
      town.awaitKnown(server);
      town.call();
      long before = nodeMade();
      expireSession();
      await().until(() -> nodeMade() > before);
      town.awaitCalls();
      town.awaitKnown(server);
      town.stopCalling();
    }
  }

  /** Returns when the one node was made; 0: there is none. */
  private long nodeMade() throws Exception {
    List<String> nodes = curator.getChildren().forPath(PATH);
    return nodes.isEmpty()
        ? 0
        : curator.checkExists().forPath(PATH + "/" + nodes.getFirst()).getCzxid();
  }

  /** Has ZooKeeper end the session of this test's client, as it does after a long silence. */
  private void expireSession() throws Exception {
    ZooKeeper own = curator.getZookeeperClient().getZooKeeper();
    CompletableFuture<Void> connected = new CompletableFuture<>();
    ZooKeeper same =
        new ZooKeeper(
            zooKeeper.getConnectString(),
            10_000,
            event -> connected.complete(null),
            own.getSessionId(),
            own.getSessionPasswd());
    connected.join();
    same.close();
  }

  @Test
  void aMalformedNodeIsLeftOutWithOneWarning() throws Exception {
    Logger logger = (Logger) LoggerFactory.getLogger(Registered.class);
    ListAppender<ILoggingEvent> logged = new ListAppender<>();
    logged.start();
    logger.addAppender(logged);
    logger.setAdditive(false);
    try (ZooKeeperTown town = new ZooKeeperTown(target)) {
      curator
          .create()
          .creatingParentsIfNeeded()
          .forPath(PATH + "/hand", "10.0.0.1:7400".getBytes(StandardCharsets.UTF_8));
      curator.create().forPath(PATH + "/hand/below", new byte[0]);
      VerbenaServer a = town.open("a");
      VerbenaServer b = town.open("b");
      town.awaitKnown(a, b);
      assertThat(logged.list)
          .singleElement()
          .satisfies(
              warning ->
                  assertThat(warning.getFormattedMessage())
                      .startsWith("Node " + PATH + "/hand is not used: "));
    } finally {
      logger.detachAppender(logged);
      logger.setAdditive(true);
    }
  }

  @Test
  void nothingIsLeftBehindAlsoWhereZooKeeperIsAway() throws Exception {
    try (ZooKeeperTown town = new ZooKeeperTown(target)) {
      VerbenaServer a = town.open("a");
      town.awaitKnown(a);
      zooKeeper.stop();
    }
    curator.close();
    await().untilAsserted(() -> assertThat(threads()).isEmpty());
  }

  @Test
  void closingReturnsAtOnceWhereItHasJustBegun() {
    try (ZooKeeperTown town = new ZooKeeperTown(target)) {
      for (int i = 0; i < 10; i++) {
        BalancedChannel.builder(town.client(), target).build().close();
      }
    }
    curator.close();
    await().untilAsserted(() -> assertThat(threads()).isEmpty());
  }

  /** Returns what clients of ZooKeeper run on, but for one that this test's client leaves. */
  private static List<String> threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .filter(name -> name.matches(".*(Curator|-SendThread|-EventThread).*"))
        .filter(name -> !name.startsWith("Curator-SafeNotifyService"))
        .toList();
  }
}
