package io.verbena.channel;

import io.verbena.core.SessionLimits;
import io.verbena.core.VerbenaServer;
import io.verbena.mem.InMemoryNetwork;
import io.verbena.testkit.SteppedWorld;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** Servers by name, and a channel to them, stepped by the test. */
final class ChannelWorld implements AutoCloseable {
  final SteppedWorld world;
  final SteppedTime time;
  final Map<String, Branch> branches = new HashMap<>();
  final Map<String, VerbenaServer> servers = new HashMap<>();

  /** Starts servers at {@code mem://NAME}. */
  ChannelWorld(String... names) {
    this(new SteppedWorld());
    for (String name : names) {
      start(name, settings -> {});
    }
  }

  private ChannelWorld(SteppedWorld world) {
    this.world = world;
    this.time = new SteppedTime(world.clock());
    world.besides(time::runDue);
  }

  /** Starts nothing. Objects move in chunks of this length, so that small ones take many. */
  static ChannelWorld withChunksOf(int bytes) {
    return new ChannelWorld(
        new SteppedWorld(SessionLimits.DEFAULT, InMemoryNetwork.DEFAULT_RING_FRAMES, bytes));
  }

  void start(String name, Consumer<VerbenaServer.Builder> settings) {
    Branch branch = new Branch(name);
    branches.put(name, branch);
    servers.put(
        name,
        world.server(
            server -> {
              server.listen("mem://" + name).serve(ShopRpc.bind(branch));
              settings.accept(server);
            }));
  }

  Branch branch(String name) {
    return java.util.Objects.requireNonNull(branches.get(name));
  }

  VerbenaServer server(String name) {
    return java.util.Objects.requireNonNull(servers.get(name));
  }

  /** Makes a channel to servers, which need not be there. */
  BalancedChannel channel(Consumer<BalancedChannel.Builder> settings, String... names) {
    String target =
        "static:" + String.join(",", Arrays.stream(names).map(name -> "mem://" + name).toList());
    return channel(BalancedChannel.builder(world.client(), target), settings);
  }

  BalancedChannel channel(
      BalancedChannel.Builder builder, Consumer<BalancedChannel.Builder> settings) {
    builder.time(time).random(new Random(1));
    settings.accept(builder);
    BalancedChannel channel = builder.build();
    settle();
    return channel;
  }

  /** Does what is to be done at this moment. */
  void settle() {
    world.settle();
  }

  /** Lets time pass. */
  void pass(Duration duration) {
    world.pass(duration);
  }

  void runUntil(BooleanSupplier condition) {
    world.runUntil(condition);
  }

  /** Returns how a call ended; throws what it failed with. */
  <R> R result(CompletionStage<R> call) {
    return world.result(call);
  }

  /**
   * Returns who answers so many calls, made one after the other; {@code failed} where nobody does.
   */
  List<String> answers(BalancedChannel channel, int calls) {
    ShopRpc.Async shop = ShopRpc.async(channel);
    List<String> answers = new ArrayList<>();
    for (int i = 0; i < calls; i++) {
      answers.add(result(shop.once("call " + i).exceptionally(failure -> "failed")));
    }
    return answers;
  }

  /** Returns what a call failed with. */
  Throwable failure(CompletionStage<?> call) {
    return world.failure(call);
  }

  @Override
  public void close() {
    world.close();
  }
}
