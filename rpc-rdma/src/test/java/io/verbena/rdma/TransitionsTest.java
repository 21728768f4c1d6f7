package io.verbena.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.verbena.api.Session;
import io.verbena.core.session.SessionImpl;
import io.verbena.testkit.Seed;
import io.verbena.testkit.SteppedWorld;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** An RDMA link that is lost and had again: each end tells each change once, and counts it. */
final class TransitionsTest extends Adapters {
  private final SteppedWorld world = new SteppedWorld().withoutWaits();
  private final FabricWorld verbs =
      new FabricWorld(Seed.random("transitions").nextLong(), device(), world.clock());
  private final List<Session> ends = new ArrayList<>();
  private CapturedLog log;

  @SuppressWarnings("NullAway.Init") // by upgraded
  TransitionsTest() {}

  @BeforeEach
  void upgraded() {
    world.server(
        s ->
            s.serve(Echo.bind(text -> {}))
                .onSession(ends::add)
                .upgrades(
                    new SteppedUpgrade(provider(new SteppedVerbs(verbs.west, verbs)), verbs)));
    Session session =
        world
            .client(
                c ->
                    c.upgrades(
                        new SteppedUpgrade(provider(new SteppedVerbs(verbs.east, verbs)), verbs)))
            .session(world.address());
    call(session);
    ends.add(session);
    runUntilAllAreBy("rdma");
    log = new CapturedLog("io.verbena.core.session.SessionLife", Level.DEBUG);
  }

  private RdmaUpgradeProvider provider(SteppedVerbs device) {
    return new RdmaUpgradeProvider(device, RdmaSettings.DEFAULT, world.clock());
  }

  @AfterEach
  void close() {
    log.close();
    world.close();
  }

  private CompletableFuture<String> call(Session session) {
    CompletableFuture<String> call = Echo.call(session, "text");
    world.runUntil(call::isDone);
    return call;
  }

  private void runUntilAllAreBy(String link) {
    world.runUntil(() -> ends.stream().allMatch(end -> end.path().link().equals(link)));
    world.settle();
  }

  private List<Long> counted() {
    return ends.stream().map(end -> ((SessionImpl) end).stat().pathChanges()).toList();
  }

  @Test
  void aLossIsOneChangeAtEachEndAndTheReturnAnother() {
    List<Long> before = counted();
    verbs.fabric.cut(verbs.east, verbs.west);
    assertThat(call(ends.getLast())).isCompletedWithValue("text"); // over the first link again
    verbs.fabric.heal(verbs.east, verbs.west); // before the next attempt, 1 s later
    runUntilAllAreBy("mem");
    assertThat(counted()).isEqualTo(before.stream().map(count -> count + 1).toList());
    assertThat(log.take())
        .hasSize(2)
        .allSatisfy(line -> assertThat(line).contains("now goes over mem").contains("rdma lost: "));
    runUntilAllAreBy("rdma");
    assertThat(counted()).isEqualTo(before.stream().map(count -> count + 2).toList());
    assertThat(log.take())
        .hasSize(2)
        .allSatisfy(line -> assertThat(line).contains("now goes over rdma"));
  }
}
