package io.verbena.it.lived;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.verbena.api.CallOptions;
import io.verbena.api.Execution;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.Session;
import io.verbena.core.SessionLimits;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.testkit.JavaProcess;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A server is killed by SIGKILL under calls, and started again at the same address. */
@Tag("long")
class KilledServerTest {
  private static final int SECONDS = 40;

  /** Of which a tenth is how long nobody must listen. */
  private static final Duration RESUME_WINDOW = Duration.ofSeconds(30);

  private static final String BEGUN = "begun";

  /** The program of that process. */
  static final class Program {
    private Program() {}

    public static void main(String[] args) throws IOException {
      Parlour parlour =
          new Parlour() {
            @Override
            public long next(long number) {
              return number + 1;
            }

            @Override
            public String stay() {
              System.out.println(BEGUN);
              try {
                new CountDownLatch(1).await();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
              return "";
            }
          };
      try (VerbenaServer server =
          VerbenaServer.builder().listen(args[0]).serve(ParlourRpc.bind(parlour)).start()) {
        System.out.println(server.address());
        JavaProcess.endWithParent();
      }
    }
  }

  @Test
  void whatWasSentFailsWithTheCauseAndWhatWasNotFindsTheNextServer() throws Exception {
    SessionLimits limits = SessionLimits.DEFAULT.withResumeWindow(RESUME_WINDOW);
    try (JavaProcess first = JavaProcess.start(Program.class, "127.0.0.1:0");
        VerbenaClient client = VerbenaClient.builder().limits(limits).build()) {
      String address = first.line();
      Session session = client.connect(address);
      CompletableFuture<String> sent = ParlourRpc.async(session).stay().toCompletableFuture();
      assertThat(first.line()).isEqualTo(BEGUN);
      first.kill();

      RpcException lost = failureOf(sent);
      assertThat(lost.status()).isEqualTo(RpcStatus.UNAVAILABLE);
      assertThat(lost.execution()).isEqualTo(Execution.UNKNOWN);
      assertThat(lost).hasMessageContaining("nothing listens on that port");

      Parlour hasty = ParlourRpc.client(session, CallOptions.timeout(Duration.ofMillis(300)));
      RpcException late = catchThrowableOfType(RpcException.class, () -> hasty.next(1));
      assertThat(late.status()).isEqualTo(RpcStatus.DEADLINE_EXCEEDED);
      assertThat(late).hasMessageContaining(address);

      CompletableFuture<Long> waits = ParlourRpc.async(session).next(1).toCompletableFuture();
      try (JavaProcess second = JavaProcess.start(Program.class, address)) {
        assertThat(second.line()).isEqualTo(address);
        assertThat(waits.get(SECONDS, TimeUnit.SECONDS)).isEqualTo(2);
      }
    }
  }

  private static RpcException failureOf(CompletableFuture<?> call) throws Exception {
    try {
      throw new AssertionError("the call returned " + call.get(SECONDS, TimeUnit.SECONDS));
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RpcException failure) {
        return failure;
      }
      throw e;
    }
  }
}
