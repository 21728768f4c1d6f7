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
import io.verbena.core.SessionLimits;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One-way calls where the receiver is slow, or gone. */
@Timeout(60)
class OneWayTest {
  private static final Duration SHORT = Duration.ofSeconds(1);
  private static final SessionLimits LIMITS =
      SessionLimits.DEFAULT.withMaxCalls(64).withResumeWindow(Duration.ofMillis(200));

  /** The receiver of one-way calls. */
  @RpcService(name = "diary.v1")
  interface Diary {
    @RpcMethod(id = 1, oneway = true)
    void note(int number);
  }

  @Test
  void aSlowReceiverPushesBackAndExecutesAllThatItsSenderWasNotToldOf() throws Exception {
    List<Integer> noted = new CopyOnWriteArrayList<>();
    try (ExecutorService one = Executors.newSingleThreadExecutor();
        VerbenaServer server =
            VerbenaServer.builder()
                .listen("127.0.0.1:0")
                .limits(LIMITS)
                .handlers(one)
                .serve(OneWayTest_DiaryRpc.bind(number -> slowly(noted, number)))
                .start();
        VerbenaClient client = VerbenaClient.builder().limits(LIMITS).build();
        Session session = client.connect(server.address().toString())) {
      Diary diary = OneWayTest_DiaryRpc.client(session, CallOptions.timeout(SHORT));
      List<Integer> sent = new ArrayList<>();
      long waited = 0;
      for (int i = 0; i < 150; i++) { // more than twice the window; each waits longer than SHORT
        long before = System.nanoTime();
        try {
          diary.note(i);
          sent.add(i);
        } catch (RpcException e) { // on a busy host
          assertThat(e.status()).as("%s", e).isEqualTo(RpcStatus.RESOURCE_EXHAUSTED);
          assertThat(e.execution()).isEqualTo(Execution.NOT_EXECUTED);
        }
        waited = Math.max(waited, System.nanoTime() - before);
      }
      while (noted.size() < sent.size()) {
        Thread.sleep(5);
      }
      assertThat(noted).isEqualTo(sent);
      assertThat(waited).as("the longest wait in send").isGreaterThan(1_000_000);
    }
  }

  private static void slowly(List<Integer> noted, int number) {
    try {
      Thread.sleep(20);
      noted.add(number);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void whereNobodyIsThereSendSaysSo() {
    try (VerbenaClient client = VerbenaClient.builder().limits(LIMITS).build()) {
      Session session;
      try (VerbenaServer server =
          VerbenaServer.builder().listen("127.0.0.1:0").limits(LIMITS).start()) {
        session = client.connect(server.address().toString());
      }
      Diary diary = OneWayTest_DiaryRpc.client(session);
      assertThatThrownBy(
              () -> {
                for (int i = 0; i < 5_000; i++) {
                  diary.note(i);
                }
              })
          .isInstanceOfSatisfying(
              RpcException.class,
              failure -> {
                assertThat(failure.status()).isEqualTo(RpcStatus.UNAVAILABLE);
                assertThat(failure.execution()).isEqualTo(Execution.NOT_EXECUTED);
              });
    }
  }
}
