package io.verbena.mem;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.link.LinkException;
import io.verbena.link.LinkOptions;
import io.verbena.link.SendResult;
import io.verbena.mem.InMemoryNetwork.Admission;
import io.verbena.testkit.ManualClock;
import io.verbena.testkit.SteppedLinks;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("An in-memory network, told to misbehave,")
final class InMemoryFaultsTest {
  private static final LinkOptions OPTIONS = LinkOptions.of(1000, Duration.ofSeconds(5), null);

  private final ManualClock clock = new ManualClock();
  private final InMemoryNetwork network = new InMemoryNetwork(clock, 4);

  private SteppedLinks start() throws LinkException {
    return new SteppedLinks(new InMemoryHarness(network), OPTIONS, OPTIONS);
  }

  @Test
  void holdsFramesOfACutLinkUntilItHeals() throws LinkException {
    try (SteppedLinks links = start()) {
      SteppedLinks.Pair pair = links.open();
      URI address = links.listening().address();
      network.cut(address);
      pair.client().sendNow(new byte[] {1});
      links.settle();
      assertThat(pair.server().heard().frames()).isEmpty();
      network.heal(address);
      links.settle();
      assertThat(pair.server().heard().frames()).containsExactly(new byte[] {1});
    }
  }

  @Test
  void keepsAnEndFromHearingThatTheOtherClosedUntilItHeals() throws LinkException {
    try (SteppedLinks links = start()) {
      SteppedLinks.Pair pair = links.open();
      URI address = links.listening().address();
      network.cut(address);
      pair.client().link().close();
      links.settle();
      assertThat(pair.client().heard().isClosed()).isTrue();
      assertThat(pair.server().heard().isClosed()).isFalse();
      network.heal(address);
      links.settle();
      assertThat(pair.server().heard().isClosed()).isTrue();
    }
  }

  @Test
  void opensNewLinksBesideACutOne() throws LinkException {
    try (SteppedLinks links = start()) {
      links.open();
      network.cut(links.listening().address());
      SteppedLinks.Pair fresh = links.open();
      fresh.client().sendNow(new byte[] {1});
      links.settle();
      assertThat(fresh.server().heard().frames()).hasSize(1);
    }
  }

  @Test
  void dropsLinksAtBothEndsForTheReasonGiven() throws LinkException {
    try (SteppedLinks links = start()) {
      SteppedLinks.Pair pair = links.open();
      pair.client().sendNow(new byte[] {1});
      network.drop(links.listening().address(), "the cable was pulled");
      links.settle();
      assertThat(pair.client().heard().closedReason()).isEqualTo("the cable was pulled");
      assertThat(pair.server().heard().closedReason()).isEqualTo("the cable was pulled");
      assertThat(pair.server().heard().frames()).isEmpty();
    }
  }

  @Test
  void refusesConnectionsUntilToldToAcceptThem() throws LinkException {
    try (SteppedLinks links = start()) {
      URI address = links.listening().address();
      network.admit(address, Admission.REFUSE);
      assertThat(links.connect(address).failure()).hasMessageContaining("refuses");
      network.admit(address, Admission.ACCEPT);
      links.open();
    }
  }

  @Test
  void timesOutByItsOwnClock() throws LinkException {
    try (SteppedLinks links = start()) {
      URI address = links.listening().address();
      network.admit(address, Admission.IGNORE);
      var outcome = links.startConnecting(address, OPTIONS);
      clock.advance(Duration.ofMillis(4999));
      links.settle();
      assertThat(outcome.isKnown()).isFalse();
      clock.advance(Duration.ofMillis(1));
      links.settle();
      assertThat(outcome.failure()).hasMessageContaining("5000 ms");
    }
  }

  @Test
  void takesAsManyFramesAsItsRingHas() throws LinkException {
    try (SteppedLinks links = start()) {
      SteppedLinks.Pair pair = links.open();
      List<SendResult> results = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        results.add(pair.client().send(new byte[] {(byte) i}));
      }
      assertThat(results.subList(0, 4)).containsOnly(SendResult.SENT);
      assertThat(results.get(4)).isEqualTo(SendResult.BACK_PRESSURED);
      links.settle();
      assertThat(pair.server().heard().frames()).hasSize(4);
      assertThat(pair.client().heard().writables()).isEqualTo(1);
    }
  }

  @Test
  void givesTheSameOutcomeForTheSameSteps() throws LinkException {
    assertThat(trace()).isEqualTo(trace());
  }

  private static List<String> trace() throws LinkException {
    InMemoryNetwork fresh = new InMemoryNetwork(new ManualClock(), 4);
    List<String> trace = new ArrayList<>();
    try (var links = new SteppedLinks(new InMemoryHarness(fresh), OPTIONS, OPTIONS)) {
      for (int i = 0; i < 3; i++) {
        SteppedLinks.Pair pair = links.open();
        String name = pair.server().link().peerAddress();
        pair.server().heard().onFrame(frame -> trace.add(name + " heard " + frame[0]));
        for (byte value = 0; value < 6; value++) {
          trace.add(name + " " + pair.client().send(new byte[] {value}));
          pair.client().link().flush();
          trace.add("work " + links.step());
        }
      }
    }
    return trace;
  }
}
