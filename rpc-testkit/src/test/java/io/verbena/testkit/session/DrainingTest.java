package io.verbena.testkit.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.Session;
import io.verbena.core.mem.InMemoryNetwork;
import io.verbena.core.mem.InMemoryNetwork.Admission;
import io.verbena.testkit.InMemoryUpgrade;
import io.verbena.testkit.SteppedWorld;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A better link that has died is not gone at once: its device is drained first. */
class DrainingTest {
  private static final Duration DRAINING = Duration.ofMillis(50);

  private SteppedWorld world;
  private InMemoryNetwork fast;
  private InMemoryUpgrade upgrade;
  private URI first;
  private Session session;
  private final Map<String, Integer> executions = new HashMap<>();
  private final List<Session> accepted = new ArrayList<>();

  @SuppressWarnings("NullAway.Init") // by start
  DrainingTest() {}

  private final class Counting extends Probe.Plain {
    @Override
    public String echo(String text) {
      executions.merge(text, 1, Integer::sum);
      return text;
    }
  }

  @BeforeEach
  void start() {
    world = new SteppedWorld();
    fast = new InMemoryNetwork(world.clock(), 16);
    upgrade = new InMemoryUpgrade(fast);
    first = URI.create(world.address());
    world.server(
        s -> s.serve(Probe.bind(new Counting())).upgrades(upgrade).onSession(accepted::add));
    session =
        world
            .client(c -> c.upgrades(new DrainingUpgrade(upgrade, world.clock(), DRAINING)))
            .session(world.address());
  }

  @AfterEach
  void close() {
    world.close();
  }

  private URI fastLink() {
    return Objects.requireNonNull(upgrade.lastOffer());
  }

  /**
   * The time to resume in begins when all links are gone; calls that begin before do not use it.
   */
  @Test
  void theSessionResumesAfterThatThoughNoFirstLinkWasToBeHadMeanwhile() {
    Probe.Stub stub = new Probe.Stub(session);
    List<CompletableFuture<String>> calls = new ArrayList<>();
    calls.add(stub.submit(Probe.ECHO, "opens"));
    world.settle();
    fast.drop(fastLink(), "cable pulled");
    world.settle();
    world.network().drop(first, "the other cable pulled, while the first is drained");
    world.network().admit(first, Admission.REFUSE);
    for (int i = 0; i < 100; i++) {
      calls.add(stub.submit(Probe.ECHO, "call " + i));
      world.pass(Duration.ofMillis(1));
    }
    world.network().admit(first, Admission.ACCEPT);
    world.pass(Duration.ofSeconds(2));
    assertThat(calls).allSatisfy(call -> assertThat(call).isCompleted());
    assertThat(executions).hasSize(calls.size()).allSatisfy((t, n) -> assertThat(n).isEqualTo(1));
    assertThat(accepted).as("the session is the same").hasSize(1);
    assertThat(fastLink()).as("it upgrades again").hasToString("mem://upgrade-2");
  }

  @Test
  void nothingIsMadeForASessionThatIsClosedMeanwhile() {
    new Probe.Stub(session).submit(Probe.ECHO, "opens");
    world.settle();
    fast.drop(fastLink(), "cable pulled");
    world.settle();
    world.network().drop(first, "the other cable pulled, while the first is drained");
    world.settle();
    session.close();
    world.pass(Duration.ofSeconds(1));
    assertThat(accepted.getFirst().path().reason()).contains("the other cable pulled");
  }
}
