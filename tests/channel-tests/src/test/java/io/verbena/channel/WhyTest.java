package io.verbena.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.mem.InMemoryNetwork.Admission;
import java.net.URI;
import java.time.Duration;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A channel's failure names each of its servers once, with the reason. */
class WhyTest {
  private final ChannelWorld world = new ChannelWorld();

  @AfterEach
  void close() {
    world.close();
  }

  private static int count(String in, String what) {
    return in.split(Pattern.quote(what), -1).length - 1;
  }

  @ParameterizedTest
  @EnumSource
  void ofServersThatCannotBeReached(Admission admission) {
    world.world.network().admit(URI.create("mem://east"), admission);
    world.world.network().admit(URI.create("mem://west"), admission);
    BalancedChannel channel = world.channel(c -> {}, "east", "west");
    for (int i = 0; i < 20; i++) {
      String why = channel.stat().why();
      assertThat(count(why, "east")).as(why).isOne();
      assertThat(count(why, "west")).as(why).isOne();
      world.pass(Duration.ofMillis(400));
    }
  }

  @Test
  void ofServersThatRefuseTheCredentials() {
    for (String name : new String[] {"east", "west"}) {
      world.start(name, s -> s.authenticator(credentials -> ""));
    }
    BalancedChannel channel = world.channel(c -> {}, "east", "west");
    world.pass(Duration.ofMillis(400));
    String why = channel.stat().why();
    assertThat(why).contains("mem://east: UNAUTHENTICATED: ", "mem://west: UNAUTHENTICATED: ");
    assertThat(count(why, "east")).isOne();
  }

  @Test
  void overTcp() throws Exception {
    String stopped;
    try (VerbenaServer server =
        VerbenaServer.builder()
            .listen("127.0.0.1:0")
            .serve(ShopRpc.bind(new Branch("a")))
            .start()) {
      stopped = "127.0.0.1:" + server.address().getPort();
    }
    try (VerbenaClient client = VerbenaClient.builder().build();
        BalancedChannel channel =
            BalancedChannel.builder(client, "static:" + stopped + ",tcp://127.0.0.1:1").build()) {
      assertThatThrownBy(() -> ShopRpc.client(channel).who("?"))
          .hasMessageEndingWith(
              "none of 2 servers takes calls: "
                  + stopped
                  + ": refused the connection: nothing listens on that port; start the server, or"
                  + " correct the port; tcp://127.0.0.1:1: refused the connection: nothing listens"
                  + " on that port; start the server, or correct the port");
    }
  }
}
