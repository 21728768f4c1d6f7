package io.verbena.it.lived;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.verbena.api.CallContext;
import io.verbena.api.Execution;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.Session;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Handlers on a bounded executor, both ends: whatever it is busy with, bytes move on. */
@Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BoundedHandlersTest {
  private static final int POOL = 4;
  private static final int BYTES = 1 << 20;

  private static final class Asking implements Desk {
    @Override
    public int askBack(int bytes) {
      return CounterRpc.client(CallContext.current().session()).count(new byte[bytes]);
    }

    @Override
    public String ping(String word) {
      return word;
    }
  }

  @Test
  void callbacksWithLargeValuesOnAllThreadsOfASmallPoolGoThrough() throws Exception {
    try (ExecutorService pool = Executors.newFixedThreadPool(POOL);
        ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor();
        VerbenaServer server =
            VerbenaServer.builder()
                .listen("127.0.0.1:0")
                .handlers(pool)
                .serve(DeskRpc.bind(new Asking()))
                .start();
        VerbenaClient client = VerbenaClient.builder().build();
        Session asking = client.connect(server.address().toString());
        Session pinging = client.connect(server.address().toString())) {
      asking.serve(CounterRpc.bind(bytes -> bytes.length));
      Desk desk = DeskRpc.client(asking);
      Desk pinged = DeskRpc.client(pinging);
      for (int round = 0; round < 5; round++) {
        List<Future<Integer>> counted = new ArrayList<>();
        for (int i = 0; i < 2 * POOL; i++) {
          counted.add(callers.submit(() -> desk.askBack(BYTES)));
        }
        Future<String> ping = callers.submit(() -> pinged.ping("there"));
        for (Future<Integer> one : counted) {
          assertThat(one.get(20, TimeUnit.SECONDS)).isEqualTo(BYTES);
        }
        assertThat(ping.get(20, TimeUnit.SECONDS)).isEqualTo("there");
      }
    }
  }

  private static String pingOrNot(Session session) {
    try {
      return DeskRpc.client(session).ping("again");
    } catch (RpcException e) {
      return e.status().toString();
    }
  }

  private static void awaitUntil(BooleanSupplier holds) throws InterruptedException {
    while (!holds.getAsBoolean()) { // until the test's time is up
      Thread.sleep(5);
    }
  }

  @Test
  void anExecutorThatRejectsFailsThoseCallsAlone() throws Exception {
    try (ThreadPoolExecutor pool =
            new ThreadPoolExecutor(1, 1, 0, TimeUnit.SECONDS, new SynchronousQueue<>());
        VerbenaServer server =
            VerbenaServer.builder()
                .listen("127.0.0.1:0")
                .handlers(pool)
                .serve(DeskRpc.bind(new Asking()))
                .start();
        VerbenaClient client = VerbenaClient.builder().build();
        Session session = client.connect(server.address().toString())) {
      AtomicBoolean answer = new AtomicBoolean();
      session.serve(
          CounterRpc.bind(
              bytes -> {
                while (!answer.get()) {
                  Thread.onSpinWait();
                }
                return bytes.length;
              }));
      DeskRpc.Async desk = DeskRpc.async(session);
      Future<Integer> busy = desk.askBack(BYTES).toCompletableFuture();
      while (pool.getActiveCount() == 0) {
        Thread.onSpinWait();
      }
      RpcException failure =
          catchThrowableOfType(
              RpcException.class, () -> DeskRpc.client(session).ping("while it is busy"));
      assertThat(failure.status()).isEqualTo(RpcStatus.RESOURCE_EXHAUSTED);
      assertThat(failure.execution()).isEqualTo(Execution.NOT_EXECUTED);
      assertThat(failure)
          .hasMessageContaining("executor")
          .hasMessageContaining(RejectedExecutionException.class.getSimpleName());
      answer.set(true);
      assertThat(busy.get(20, TimeUnit.SECONDS)).isEqualTo(BYTES);
      while (pool.getActiveCount() > 0) {
        Thread.onSpinWait(); // its thread answers before it is free
      }
      awaitUntil(() -> "again".equals(pingOrNot(session)));
      awaitUntil(() -> server.slotsInUse() == 0); // its answers are acknowledged a little later
    }
  }
}
