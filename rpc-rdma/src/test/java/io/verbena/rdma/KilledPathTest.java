package io.verbena.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.Session;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.testkit.Seed;
import io.verbena.testkit.SteppedWorld;
import io.verbena.verbs.fabric.FabricHost;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The RDMA path dies many times under calls, and every call ends well, executed once. */
final class KilledPathTest extends Adapters {
  private static final int KILLS = Boolean.getBoolean("verbena.long") ? 200 : 60;

  /** The same session asks for a link that flaps less and less often. */
  private static final int KILLS_OF_A_SESSION = 4;

  private static final int MOST_CALLS = 6;
  private static final int MOST_STEPS = 12;
  private static final int LONG_TEXT = 20_000;
  private static final Duration UNTIL_NOTICED = Duration.ofSeconds(3);

  private final SteppedWorld world = new SteppedWorld().withoutWaits();
  private final Random random = Seed.random("the path is killed many times");
  private final FabricWorld verbs = new FabricWorld(random.nextLong(), device(), world.clock());
  private final RdmaUpgradeProvider east = provider(true);
  private final RdmaUpgradeProvider west = provider(false);
  private final Map<String, Integer> executions = new HashMap<>();

  private RdmaUpgradeProvider provider(boolean ofClient) {
    SteppedVerbs device = new SteppedVerbs(ofClient ? verbs.east : verbs.west, verbs);
    return new RdmaUpgradeProvider(device, RdmaSettings.DEFAULT, world.clock());
  }

  @Test
  void noCallIsLostOrDoubledOrHangs() {
    VerbenaServer server =
        world.server(
            settings ->
                settings
                    .serve(Echo.bind(text -> executions.merge(text, 1, Integer::sum)))
                    .upgrades(new SteppedUpgrade(west, verbs)));
    VerbenaClient client =
        world.client(settings -> settings.upgrades(new SteppedUpgrade(east, verbs)));
    Session session = client.session(world.address());
    long opened = 0;
    for (int kill = 0; kill < KILLS; kill++) {
      if (kill % KILLS_OF_A_SESSION == 0) {
        session.close();
        session = client.session(world.address());
        world.runUntil(Echo.call(session, "first " + kill)::isDone);
      }
      awaitNewLink(session, opened); // each kill is noticed, also where no call was under way
      opened = east.counters().linksOpened();
      Map<String, CompletableFuture<String>> calls = callsWhileItDies(session, kill);
      world.runUntil(() -> calls.values().stream().allMatch(CompletableFuture::isDone));
      calls.forEach(
          (text, call) -> {
            assertThat(call).isCompletedWithValue(text);
            assertThat(executions.remove(text)).isEqualTo(1);
          });
    }
    awaitNewLink(session, opened);
    world.pass(Duration.ofMillis(50));
    assertThat(client.slotsInUse() + server.slotsInUse()).as("slots in use").isZero();
    world.close();
    assertThat(east.pinnedBytes() + west.pinnedBytes()).as("registered bytes left").isZero();
  }

  private void awaitNewLink(Session session, long opened) {
    world.runUntil(
        () -> east.counters().linksOpened() > opened && session.path().link().equals("rdma"));
  }

  private Map<String, CompletableFuture<String>> callsWhileItDies(Session session, int kill) {
    Map<String, CompletableFuture<String>> calls = new HashMap<>();
    int count = 2 + random.nextInt(MOST_CALLS);
    int dies = random.nextInt(count);
    for (int i = 0; i < count; i++) {
      String text = kill + "." + i + "x".repeat(random.nextInt(10) == 0 ? LONG_TEXT : 1);
      calls.put(text, Echo.call(session, text));
      for (int steps = random.nextInt(MOST_STEPS); steps > 0; steps--) {
        world.step();
      }
      if (i == dies) {
        kill();
      }
    }
    return calls;
  }

  private void kill() {
    int dice = random.nextInt(20);
    if (dice == 0) {
      verbs.fabric.cut(verbs.east, verbs.west);
      world.pass(UNTIL_NOTICED);
      verbs.fabric.heal(verbs.east, verbs.west);
    } else {
      FabricHost host = dice % 2 == 0 ? verbs.east : verbs.west;
      host.removeDevice();
      host.restoreDevice();
    }
  }
}
