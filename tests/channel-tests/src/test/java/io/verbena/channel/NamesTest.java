package io.verbena.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.testkit.ManualClock;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Names in the code, and targets in the deployment. */
class NamesTest {
  private final @Nullable String before = System.getProperty(Names.PROPERTY);

  @AfterEach
  void restore() {
    if (before == null) {
      System.clearProperty(Names.PROPERTY);
    } else {
      System.setProperty(Names.PROPERTY, before);
    }
  }

  private static URI target(String entries, String name) {
    return Names.parse("the test", entries).target(name);
  }

  private static Resolver resolver(String target, Map<String, String> environment) {
    return new Names.Provider(environment::get)
        .resolver(URI.create(target), new SteppedTime(new ManualClock()));
  }

  private static List<String> addresses(Resolver resolver) {
    List<String> told = new ArrayList<>();
    resolver.start(
        new Resolver.Listener() {
          @Override
          public void endpoints(List<Endpoint> all) {
            all.forEach(endpoint -> told.add(endpoint.address()));
          }

          @Override
          public void failed(String reason) {
            told.add(reason);
          }
        });
    return told;
  }

  @Test
  void aChannelFindsWhatItsNameStandsFor() {
    System.setProperty(Names.PROPERTY, "store=static:mem://a,mem://b;cart=static:mem://c");
    try (ChannelWorld world = new ChannelWorld("a", "b", "c");
        BalancedChannel channel =
            world.channel(
                BalancedChannel.builder(world.world.client(), "verbena:///store"), c -> {})) {
      ShopRpc.Async shop = ShopRpc.async(channel);
      assertThat(List.of(world.result(shop.who("1")), world.result(shop.who("2"))))
          .containsExactlyInAnyOrder("a", "b");
    }
  }

  @Test
  void thePropertyGoesBeforeTheVariable() {
    Map<String, String> environment = Map.of(Names.VARIABLE, "store=static:variable:1");
    assertThat(addresses(resolver("verbena:///store", environment))).containsExactly("variable:1");
    System.setProperty(Names.PROPERTY, "store=static:property:1");
    assertThat(addresses(resolver("verbena:///store", environment))).containsExactly("property:1");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "store      | static:a:1,b:1",
        "cart       | dns:///cart:7400",
        "other      | zookeeper://zk1:2181,zk2:2181/verbena/other",
        "shop/other | zookeeper://zk1:2181,zk2:2181/verbena/shop/other"
      })
  void anEntryIsANameAndItsTarget(String name, String target) {
    String entries =
        """
        store = static:a:1,b:1; cart=dns:///*:7400
        ;; *=zookeeper://zk1:2181,zk2:2181/verbena/*
        """;
    assertThat(target(entries, name)).hasToString(target);
  }

  @Test
  void aNameThatNobodySetSaysWhatToSet() {
    assertThatThrownBy(() -> resolver("verbena:///store", Map.of()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContainingAll(
            "'store'", "verbena.names", "VERBENA_NAMES", "store=dns:///store.example:7400");
    assertThatThrownBy(() -> target("cart=static:a:1", "store"))
        .hasMessageContaining("the test has [cart]");
  }

  @Test
  void aNameDoesNotStandForAName() {
    assertThatThrownBy(() -> target("a=verbena:///b;b=verbena:///a", "a"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'verbena:///b', is another name");
    assertThatThrownBy(() -> target("*=VERBENA:///*", "a")).hasMessageContaining("another name");
  }

  @ParameterizedTest
  @ValueSource(strings = {"store", "=static:a:1", "store=", "a=static:a:1;a=static:b:1"})
  void aMalformedEntryIsRefusedWithItsPlace(String entries) {
    assertThatThrownBy(() -> target(entries, "store"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("in the test");
  }

  @ParameterizedTest
  @ValueSource(strings = {"verbena:store", "verbena://store", "verbena:///"})
  void aTargetWithoutANameIsRefused(String target) {
    assertThatThrownBy(() -> resolver(target, Map.of()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("verbena:///store");
  }
}
