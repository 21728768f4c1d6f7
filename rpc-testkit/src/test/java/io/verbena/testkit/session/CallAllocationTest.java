package io.verbena.testkit.session;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.verbena.testkit.SteppedWorld;
import java.lang.management.ManagementFactory;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/**
 * What a typed async call with a non-blocking handler allocates, counted by the JVM on each side.
 */
class CallAllocationTest {
  private static final int BATCH = 50;
  private static final int MEASURED = 200;
  private static final int ATTEMPTS = 5;

  /**
   * What issue and design allow: a future, the generated lambda, and nothing of link or session.
   */
  private static final long MOST_BYTES_PER_CALL = 100;

  private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private final SteppedWorld world = new SteppedWorld();
  private long clientBytes;
  private long serverBytes;

  @Test
  void aCallAllocatesAtMostItsFutureAndALambdaOnEachSide() {
    world.server(s -> s.serve(TallyRpc.bind(value -> value)));
    TallyRpc.Async tally = TallyRpc.async(world.client().session(world.address()));
    measure(tally, 2_000);
    long client = Long.MAX_VALUE;
    long server = Long.MAX_VALUE;
    for (int i = 0; i < ATTEMPTS; i++) {
      measure(tally, MEASURED);
      client = Math.min(client, clientBytes / (MEASURED * BATCH));
      server = Math.min(server, serverBytes / (MEASURED * BATCH));
    }
    System.out.println("bytes per call: client " + client + ", server " + server);
    assertThat(client).as("client side").isLessThanOrEqualTo(MOST_BYTES_PER_CALL);
    assertThat(server).as("server side").isLessThanOrEqualTo(MOST_BYTES_PER_CALL);
    world.close();
  }

  private void measure(TallyRpc.Async tally, int batches) {
    clientBytes = 0;
    serverBytes = 0;
    CompletionStage<?> last = null;
    for (int i = 0; i < batches; i++) {
      long start = allocated();
      for (int n = 0; n < BATCH; n++) {
        last = tally.same(n); // small values: their boxes are the JDK's own
      }
      world.stepClient();
      long sent = allocated();
      world.stepServer();
      long answered = allocated();
      world.stepClient();
      clientBytes += sent - start + allocated() - answered;
      serverBytes += answered - sent;
      world.settle();
    }
    assertThat(last).isNotNull();
    assertThat(last.toCompletableFuture()).isCompletedWithValueMatching(value -> value != null);
  }

  private long allocated() {
    return threads.getCurrentThreadAllocatedBytes();
  }
}
