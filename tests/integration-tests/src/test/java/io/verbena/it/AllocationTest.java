package io.verbena.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.verbena.api.Session;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import java.lang.management.ManagementFactory;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The allocations of one small typed call on each side, once both are warm. */
class AllocationTest {
  private static final int WARM_UP = 5_000;
  private static final int MEASURED = 2_000;

  /** On a busy machine the compiler comes late, and what it has not compiled yet allocates more. */
  private static final int ATTEMPTS = 200;

  /** The boxed result, which the caller gets. */
  private static final long CALLERS_OWN = 24;

  private static final long MOST = 100;

  private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  @Tag("long")
  @Test
  void anAsyncCallToANonBlockingHandlerAllocatesLittleMoreThanItsFuture() {
    try (VerbenaServer server =
            VerbenaServer.builder()
                .listen("mem://house")
                .serve(HouseRpc.bind(new PlainHouse()))
                .start();
        VerbenaClient client = VerbenaClient.builder().build();
        Session session = client.connect(server.address().toString())) {
      HouseRpc.Async house = HouseRpc.async(session);
      calls(house, WARM_UP);
      // Compiling and profiling allocate as well, so the least of a few is what the calls take.
      long caller = Long.MAX_VALUE;
      long handler = Long.MAX_VALUE;
      for (int i = 0; i < ATTEMPTS && (handler > MOST || caller > MOST + CALLERS_OWN); i++) {
        long handlerBefore = allocatedBy("verbena-server");
        long loopBefore = allocatedBy("verbena-client");
        long before = threads.getCurrentThreadAllocatedBytes();
        calls(house, MEASURED);
        long own = threads.getCurrentThreadAllocatedBytes() - before;
        long loop = allocatedBy("verbena-client") - loopBefore;
        long other = allocatedBy("verbena-server") - handlerBefore;
        caller = Math.min(caller, (own + loop) / MEASURED);
        handler = Math.min(handler, other / MEASURED);
      }
      System.out.printf("AllocationTest: %d bytes per call, %d for its handler%n", caller, handler);
      assertThat(handler).as("bytes on the handler's side").isLessThanOrEqualTo(MOST);
      assertThat(caller).as("bytes on the caller's side").isLessThanOrEqualTo(MOST + CALLERS_OWN);
    }
  }

  private long allocatedBy(String loop) {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith(loop))
        .mapToLong(thread -> threads.getThreadAllocatedBytes(thread.threadId()))
        .sum();
  }

  private static void calls(HouseRpc.Async house, int count) {
    for (int i = 0; i < count; i++) {
      CompletableFuture<Long> call = house.add(1_000_000L + i).toCompletableFuture();
      while (!call.isDone()) {
        Thread.onSpinWait(); // waiting in get() would allocate
      }
    }
  }
}
