package io.verbena.it.lived;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.Execution;
import io.verbena.api.RpcException;
import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;
import io.verbena.api.Session;
import io.verbena.core.SessionLimits;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.testkit.JavaProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A server's process that gets SIGTERM while it is busy. */
@Timeout(60)
class DrainTest {
  private static final int CALLERS = 32;
  private static final int CALLS_BEFORE = 500;

  /** The contract: a call takes a while, and counts itself when it is done. */
  @RpcService(name = "mill.v1")
  interface Mill {
    @RpcMethod(id = 1)
    long grind(long corn);
  }

  @Tag("long")
  @Test
  void everyResultArrivesAndWhatFailsWasNotExecuted() throws Exception {
    AtomicLong results = new AtomicLong();
    Queue<RpcException> failures = new ConcurrentLinkedQueue<>();
    try (JavaProcess server = JavaProcess.start(MillProcess.class);
        VerbenaClient client =
            VerbenaClient.builder()
                // There is no next server to wait for.
                .limits(SessionLimits.DEFAULT.withResumeWindow(Duration.ofMillis(200)))
                .build();
        Session session = client.connect(server.line())) {
      Mill mill = DrainTest_MillRpc.client(session);
      List<Thread> callers = new ArrayList<>();
      for (int i = 0; i < CALLERS; i++) {
        callers.add(Thread.ofVirtual().start(() -> grind(mill, results, failures)));
      }
      while (results.get() < CALLS_BEFORE) {
        Thread.sleep(1);
      }
      server.terminate();
      for (Thread caller : callers) {
        caller.join();
      }
      assertThat(server.line()).isEqualTo("executed " + results);
      assertThat(server.process().waitFor(20, TimeUnit.SECONDS)).isTrue();
    }
    assertThat(failures)
        .hasSize(CALLERS)
        .allSatisfy(failure -> assertThat(failure.execution()).isEqualTo(Execution.NOT_EXECUTED));
  }

  private static void grind(Mill mill, AtomicLong results, Queue<RpcException> failures) {
    try {
      while (true) {
        mill.grind(1);
        results.incrementAndGet();
      }
    } catch (RpcException e) {
      failures.add(e);
    }
  }

  /** The server. */
  static final class MillProcess {
    private MillProcess() {}

    public static void main(String[] args) throws InterruptedException {
      AtomicLong executed = new AtomicLong();
      VerbenaServer server =
          VerbenaServer.builder()
              .listen("127.0.0.1:0")
              .serve(
                  DrainTest_MillRpc.bind(
                      corn -> {
                        LockSupport.parkNanos(3_000_000);
                        return executed.incrementAndGet();
                      }))
              .closeOnShutdown()
              .drainTime(Duration.ofMinutes(2)) // far beyond the test's own limit
              .start();
      Runtime.getRuntime()
          .addShutdownHook(
              new Thread(
                  () -> {
                    server.close(); // waits for the other one
                    System.out.println("executed " + executed);
                  }));
      System.out.println(server.address());
      server.awaitClose();
    }
  }
}
