package io.verbena.core.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.core.Probe;
import io.verbena.link.UpgradeProvider;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A better link that has died is not gone at once: its device is drained first. */
class DrainingTest extends TwoLinks {
  private static final Duration DRAINING = Duration.ofMillis(50);

  @Override
  UpgradeProvider clients(UpgradeProvider both) {
    return new DrainingUpgrade(both, world.clock(), DRAINING);
  }

  /**
   * The time to resume in begins when all links are gone; calls that begin before do not use it.
   */
  @Test
  void theSessionResumesAfterThatThoughNoFirstLinkWasToBeHadMeanwhile() {
    Probe.Stub stub = new Probe.Stub(session);
    List<CompletableFuture<String>> calls = new ArrayList<>();
    calls.add(stub.submit(Probe.ECHO, "opens"));
    world.passHeadStart();
    fast.drop(fastLink(), "cable pulled");
    world.settle();
    world.network().drop(first, "the other cable pulled, while the first is drained");
    refuse();
    for (int i = 0; i < 100; i++) {
      calls.add(stub.submit(Probe.ECHO, "call " + i));
      world.pass(Duration.ofMillis(1));
    }
    accept();
    world.pass(Duration.ofSeconds(2));
    assertThat(calls).allSatisfy(call -> assertThat(call).isCompleted());
    assertThat(executions).hasSize(calls.size()).allSatisfy((t, n) -> assertThat(n).isEqualTo(1));
    assertThat(accepted).as("the session is the same").hasSize(1);
    assertThat(fastLink()).as("it upgrades again").hasToString("mem://upgrade-2");
  }

  @Test
  void nothingIsMadeForASessionThatIsClosedMeanwhile() {
    new Probe.Stub(session).submit(Probe.ECHO, "opens");
    world.passHeadStart();
    fast.drop(fastLink(), "cable pulled");
    world.settle();
    world.network().drop(first, "the other cable pulled, while the first is drained");
    world.settle();
    session.close();
    world.pass(Duration.ofSeconds(1));
    assertThat(accepted.getFirst().path().reason()).contains("the other cable pulled");
  }
}
