package io.verbena.verbs.fabric;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.verbs.ext.SendFlags;
import io.verbena.verbs.ext.SendOpcode;
import io.verbena.verbs.ext.VerbsCq;
import io.verbena.verbs.testkit.Buffer;
import io.verbena.verbs.testkit.Pair;
import org.junit.jupiter.api.Test;

/** A host counts what its program asks of its device, and not what the peer's does. */
class VerbsCountsTest {
  private static final int MESSAGES = 3;
  private static final int BYTES = 8;

  @Test
  void aHostCountsItsOwnCallsAndRequests() throws Exception {
    for (long seed = 1; seed <= 10; seed++) {
      FabricHarness harness = new FabricHarness(seed);
      try (Pair pair = Pair.connect(harness)) {
        VerbsCounts sender = harness.active.counts();
        VerbsCounts receiver = harness.passive.counts();
        Buffer from = pair.active.buffer(BYTES);
        Buffer to = pair.passive.buffer(BYTES);
        for (int i = 0; i < MESSAGES; i++) {
          pair.passive.receive(i, to);
          pair.active.request(i, SendOpcode.SEND, SendFlags.SIGNALED, from);
          pair.active.post();
        }
        VerbsCq.of(pair.active.sendCq).arm(false);
        for (int i = 0; i < MESSAGES; i++) {
          pair.passive.awaitReceived();
          pair.active.awaitSent();
        }
        VerbsCounts sent = harness.active.counts().since(sender);
        VerbsCounts received = harness.passive.counts().since(receiver);
        assertThat(sent)
            .as("seed " + seed)
            .isEqualTo(
                new VerbsCounts(
                    MESSAGES, 0, sent.polls(), 1, MESSAGES, 0, 0, 0, 0, 0, 1, MESSAGES * BYTES));
        assertThat(received)
            .as("seed " + seed)
            .isEqualTo(
                new VerbsCounts(0, MESSAGES, received.polls(), 0, 0, 0, 0, 0, 0, MESSAGES, 1, 0));
        assertThat(sent.polls()).isPositive();
        assertThat(received.polls()).isPositive();
        assertThat(sent.requests()).isEqualTo(MESSAGES);
      }
    }
  }
}
