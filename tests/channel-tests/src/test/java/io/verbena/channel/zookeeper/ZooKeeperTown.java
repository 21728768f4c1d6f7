package io.verbena.channel.zookeeper;

import static org.awaitility.Awaitility.await;

import io.verbena.channel.BalancedChannel;
import io.verbena.channel.town.Town;
import io.verbena.core.VerbenaServer;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;

/** Shops that register themselves. */
final class ZooKeeperTown extends Town {
  private final String target;

  ZooKeeperTown(String target, Consumer<BalancedChannel.Builder> settings) {
    super(
        client -> {
          BalancedChannel.Builder builder = BalancedChannel.builder(client, target);
          settings.accept(builder);
          return builder;
        });
    this.target = target;
  }

  ZooKeeperTown(String target) {
    this(target, BalancedChannel.Builder::waitForReady);
  }

  /** Starts a server that is registered. */
  VerbenaServer open(String name) {
    VerbenaServer server = server(name);
    ZooKeeperRegistration.builder(server, target).register();
    return server;
  }

  /** Calls until each of these has answered, and no other has. */
  void awaitAnswersFrom(String... names) {
    Set<String> answered = new HashSet<>();
    await()
        .until(
            () -> {
              answered.add(shop().who("?"));
              return answered.equals(Set.of(names));
            });
  }
}
