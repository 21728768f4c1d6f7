package io.verbena.channel.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.CallOptions;
import io.verbena.channel.BalancedChannel;
import io.verbena.channel.town.ShopRpc;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import java.net.URI;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** All parts accept the same hosts. */
class HostsEverywhereTest {
  private static TestingServer zooKeeper;

  @BeforeAll
  static void start() throws Exception {
    zooKeeper = new TestingServer();
  }

  @AfterAll
  static void stop() throws Exception {
    zooKeeper.close();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "127.0.0.1",
        "localhost",
        "LocalHost",
        "[::1]",
        "[0:0:0:0:0:0:0:1]",
        "[::1%lo]",
        "store_1", // Docker Compose once named containers so
        "3f2a9c1b4d5e", // as a container is named that nobody has named
        "pod.0a",
        "bücher.example",
        "-x-"
      })
  void isTakenEverywhere(String host) throws Exception {
    try (VerbenaServer server =
            VerbenaServer.builder()
                .listen(" " + host + ":0 ")
                .serve(ShopRpc.bind(text -> host))
                .start();
        VerbenaClient client = VerbenaClient.builder().build()) {
      URI address = server.address();
      assertThat(address.getPort()).as("port of %s", address).isPositive();
      assertThat(address.getHost()).as("host of %s", address).isNotEmpty();
      String place = host + ":" + address.getPort();
      for (String one : new String[] {place, " tcp://" + place, "TCP://" + place, "" + address}) {
        assertThat(ShopRpc.client(client.connect(one)).who("?")).as(one).isEqualTo(host);
      }
      String registered =
          "zookeeper://" + zooKeeper.getConnectString() + "/hosts/" + place.hashCode();
      ZooKeeperRegistration.builder(server, registered).advertise(host).register();
      String own = registered + "/own";
      ZooKeeperRegistration.builder(server, own).register();
      for (String target :
          new String[] {
            "static:" + place, "dns:///" + place, " DNS:///" + place, registered, own
          }) {
        try (BalancedChannel channel =
            BalancedChannel.builder(client, target).waitForReady().build()) {
          assertThat(ShopRpc.client(channel, CallOptions.DEFAULT).who("?"))
              .as(target)
              .isEqualTo(host);
        }
      }
    }
  }
}
