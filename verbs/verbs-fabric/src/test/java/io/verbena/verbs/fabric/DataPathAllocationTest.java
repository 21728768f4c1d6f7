package io.verbena.verbs.fabric;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.verbs.ext.CompletionBlock;
import io.verbena.verbs.ext.ReceiveBlock;
import io.verbena.verbs.ext.SendBlock;
import io.verbena.verbs.ext.SendFlags;
import io.verbena.verbs.ext.SendOpcode;
import io.verbena.verbs.ext.VerbsCq;
import io.verbena.verbs.ext.WcStatus;
import io.verbena.verbs.testkit.Buffer;
import io.verbena.verbs.testkit.Pair;
import java.lang.foreign.Arena;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** So that what a link allocates can be measured on a fabric, the fabric must allocate nothing. */
class DataPathAllocationTest {
  private static final int WARM_UP = 60_000;
  private static final int MEASURED = 20_000;

  /** On a busy machine the compiler comes late, and what it has not compiled yet allocates more. */
  private static final int MOST = 2_000_000;

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void postingDeliveringAndPollingAllocateNothing(long seed) throws Exception {
    FabricHarness harness = new FabricHarness(seed);
    var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    try (Pair pair = Pair.connect(harness);
        Arena arena = Arena.ofConfined()) {
      Buffer from = pair.active.buffer(64);
      Buffer to = pair.passive.buffer(64);
      SendBlock sends = new SendBlock(arena, 1, 1);
      ReceiveBlock receives = new ReceiveBlock(arena, 1, 1);
      CompletionBlock completions = new CompletionBlock(arena, 4);
      long before = 0;
      long perMessage = Long.MAX_VALUE;
      for (int i = 0; perMessage != 0 && i <= MOST; i++) {
        if (i >= WARM_UP && i % MEASURED == 0) {
          long now = threads.getCurrentThreadAllocatedBytes();
          perMessage = i == WARM_UP ? Long.MAX_VALUE : (now - before) / MEASURED;
          before = threads.getCurrentThreadAllocatedBytes();
        }
        receives.request(0, i).sge(0, to.address(), 64, to.lkey());
        pair.passive.verbs().postReceive(receives, 0, 1);
        sends
            .request(0, i, SendOpcode.SEND, SendFlags.SIGNALED)
            .sge(0, from.address(), 64, from.lkey());
        pair.active.verbs().postSend(sends, 0, 1);
        drain(harness.fabric, VerbsCq.of(pair.passive.receiveCq), completions);
        drain(harness.fabric, VerbsCq.of(pair.active.sendCq), completions);
      }
      assertThat(perMessage).as("bytes a message").isZero();
    }
  }

  private static void drain(Fabric fabric, VerbsCq cq, CompletionBlock completions)
      throws Exception {
    while (cq.poll(completions) == 0) {
      fabric.step();
    }
    if (completions.status(0) != 0) {
      throw new AssertionError(WcStatus.describe(completions.status(0)));
    }
  }
}
