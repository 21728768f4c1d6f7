package io.verbena.it.lived;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.api.CallOptions;
import io.verbena.api.Execution;
import io.verbena.api.RpcException;
import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;
import io.verbena.api.RpcStatus;
import io.verbena.api.Session;
import io.verbena.api.StreamIterator;
import io.verbena.api.Streams;
import io.verbena.channel.BalancedChannel;
import io.verbena.core.SessionLimits;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.testkit.JavaProcess;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A process ends when it is asked to, and a thread that waits hears an end, whatever holds the
 * threads of its event loops.
 */
@Tag("long")
@Timeout(120)
class HeldLoopTest {
  private static final int END_WITHIN_SECONDS = 90;

  /** The contract, handled on the event loop. */
  @RpcService(name = "gate.v1")
  interface Gate {
    @RpcMethod(id = 1, nonBlocking = true)
    void exit();

    @RpcMethod(id = 2, nonBlocking = true)
    void hold();

    @RpcMethod(id = 3, nonBlocking = true)
    int pass(int number);

    @RpcMethod(id = 4, idempotent = true)
    int again(int number);

    @RpcMethod(id = 5)
    Flow.Publisher<Integer> endless();
  }

  private static void ends(Process process) throws Exception {
    assertThat(process.waitFor(END_WITHIN_SECONDS, TimeUnit.SECONDS)).as("ended").isTrue();
  }

  private static VerbenaClient client() {
    SessionLimits limits = SessionLimits.DEFAULT.withResumeWindow(Duration.ofMillis(200));
    return VerbenaClient.builder().limits(limits).build();
  }

  @Test
  void aHandlerOnTheLoopMayEndTheProcess() throws Exception {
    try (JavaProcess server = JavaProcess.start(GateProcess.class);
        VerbenaClient client = client();
        Session session = client.connect(server.line())) {
      HeldLoopTest_GateRpc.async(session).exit();
      ends(server.process());
    }
  }

  @Test
  void aProcessEndsBySignalThoughAHandlerHoldsTheLoop() throws Exception {
    try (JavaProcess server = JavaProcess.start(GateProcess.class);
        VerbenaClient client = client();
        Session session = client.connect(server.line())) {
      HeldLoopTest_GateRpc.async(session).hold();
      assertThat(server.line()).isEqualTo("held");
      server.terminate();
      ends(server.process());
    }
  }

  @Test
  void aCallbackOnTheLoopMayEndTheProcess() throws Exception {
    try (JavaProcess program = JavaProcess.start(CallbackProcess.class)) {
      assertThat(program.line()).isEqualTo("calling");
      ends(program.process());
    }
  }

  /** A waiting thread of the user's, and the outcome of its wait. */
  private interface Waiting {
    void on(VerbenaClient client, Session session, Runnable held) throws Exception;
  }

  /** Has a callback hold the client's only event loop. */
  private static void whileTheLoopIsHeld(Waiting waiting) throws Exception {
    CountDownLatch end = new CountDownLatch(1);
    try (VerbenaServer server = GateProcess.server();
        VerbenaClient client = VerbenaClient.builder().loops(1).build();
        Session session = client.connect("127.0.0.1:" + server.address().getPort())) {
      CountDownLatch holds = new CountDownLatch(1);
      Runnable held =
          () -> {
            Thread caller = Thread.currentThread();
            CompletionStage<Void> following;
            do { // until the answer comes late enough for the loop to run what follows it
              following =
                  HeldLoopTest_GateRpc.async(session)
                      .pass(1)
                      .thenAccept(
                          passed -> {
                            if (Thread.currentThread() != caller) {
                              holds.countDown();
                              awaitInSpiteOfInterrupts(end);
                            }
                          });
            } while (following.toCompletableFuture().isDone() && holds.getCount() > 0);
            awaitInSpiteOfInterrupts(holds);
          };
      try {
        waiting.on(client, session, held);
      } finally {
        end.countDown();
      }
    }
  }

  private static void awaitInSpiteOfInterrupts(CountDownLatch latch) {
    while (true) {
      try {
        latch.await();
        return;
      } catch (InterruptedException e) {
        // it goes on
      }
    }
  }

  @Test
  void aThreadThatIteratesHearsThatNobodyTellsOfItems() throws Exception {
    whileTheLoopIsHeld(
        (client, session, held) -> {
          try (StreamIterator<Integer> items =
              Streams.iterate(HeldLoopTest_GateRpc.client(session).endless())) {
            assertThat(items.next()).isEqualTo(1);
            held.run();
            assertThatThrownBy(items::hasNext)
                .hasMessageContaining("holds up its event loop")
                .isInstanceOfSatisfying(
                    RpcException.class,
                    e -> assertThat(e.status()).isEqualTo(RpcStatus.UNAVAILABLE));
          }
        });
  }

  @Test
  void aThreadThatIteratesHearsThatItsClientIsClosed() throws Exception {
    ExecutorService handlers = Executors.newSingleThreadExecutor();
    VerbenaClient client = VerbenaClient.builder().handlers(handlers).build();
    try (VerbenaServer server = GateProcess.server();
        Session session = client.connect("127.0.0.1:" + server.address().getPort());
        StreamIterator<Integer> items =
            Streams.iterate(HeldLoopTest_GateRpc.client(session).endless())) {
      assertThat(items.next()).isEqualTo(1);
      handlers.shutdown();
      client.close();
      assertThatThrownBy(items::hasNext).isInstanceOf(RpcException.class);
    }
  }

  @Test
  void aCallThatMayBeHedgedFailsSoonAfterItsDeadline() throws Exception {
    whileTheLoopIsHeld(
        (client, session, held) -> {
          String target = "static:" + session.peer().address();
          try (BalancedChannel channel =
              BalancedChannel.builder(client, target).hedgeAfter(Duration.ofMinutes(1)).build()) {
            Gate gate =
                HeldLoopTest_GateRpc.client(channel, CallOptions.timeout(Duration.ofSeconds(2)));
            assertThat(gate.again(1)).isEqualTo(1);
            held.run();
            assertThatThrownBy(() -> gate.again(2))
                .hasMessageContaining("no event loop has answered since the call's deadline")
                .isInstanceOfSatisfying(
                    RpcException.class,
                    e -> {
                      assertThat(e.status()).isEqualTo(RpcStatus.DEADLINE_EXCEEDED);
                      assertThat(e.execution()).isEqualTo(Execution.UNKNOWN);
                    });
          }
        });
  }

  /** The server. */
  static final class GateProcess {
    public static void main(String[] arguments) throws Exception {
      try (VerbenaServer server = server()) {
        System.out.println("127.0.0.1:" + server.address().getPort());
        JavaProcess.endWithParent();
      }
      Runtime.getRuntime().halt(0);
    }

    static VerbenaServer server() {
      return VerbenaServer.builder()
          .listen("127.0.0.1:0")
          .drainTime(Duration.ofSeconds(1))
          .closeOnShutdown()
          .serve(HeldLoopTest_GateRpc.bind(new Doors()))
          .start();
    }
  }

  /** A server and a client of its own, whose callback ends the process. */
  static final class CallbackProcess {
    public static void main(String[] arguments) throws Exception {
      VerbenaServer server = GateProcess.server();
      VerbenaClient client = client();
      Runtime.getRuntime().addShutdownHook(new Thread(client::close));
      Session session = client.connect("127.0.0.1:" + server.address().getPort());
      System.out.println("calling");
      HeldLoopTest_GateRpc.async(session).pass(1).thenAccept(passed -> System.exit(0));
      JavaProcess.endWithParent();
      Runtime.getRuntime().halt(1);
    }
  }

  private static final class Doors implements Gate {
    @Override
    public void exit() {
      System.exit(0);
    }

    @Override
    public void hold() {
      System.out.println("held");
      while (true) {
        Thread.onSpinWait(); // an interrupt says nothing to it
      }
    }

    @Override
    public int pass(int number) {
      return number;
    }

    @Override
    public int again(int number) {
      return number;
    }

    /** One item, and then none for ever. */
    @Override
    public Flow.Publisher<Integer> endless() {
      return subscriber ->
          subscriber.onSubscribe(
              new Flow.Subscription() {
                private boolean sent;

                @Override
                public void request(long number) {
                  if (!sent) {
                    sent = true;
                    subscriber.onNext(1);
                  }
                }

                @Override
                public void cancel() {}
              });
    }
  }
}
