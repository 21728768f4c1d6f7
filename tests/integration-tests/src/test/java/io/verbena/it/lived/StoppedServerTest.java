package io.verbena.it.lived;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.verbena.api.SessionState;
import io.verbena.channel.BalancedChannel;
import io.verbena.channel.Balancer;
import io.verbena.channel.Retries;
import io.verbena.core.SessionLimits;
import io.verbena.core.VerbenaClient;
import io.verbena.testkit.JavaProcess;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A server is stopped by SIGSTOP: its connections stand, and it answers nothing. */
@Tag("long")
class StoppedServerTest {
  /** Far longer than the test takes: no loss of the session is to have the call go on. */
  private static final Duration RESUME_WINDOW = Duration.ofMinutes(2);

  /** Enough for a server that is new, on a busy machine. */
  private static final Duration ONE_ATTEMPT = Duration.ofSeconds(3);

  private static final Duration NO_HANG = Duration.ofSeconds(30);

  @Test
  void anIdempotentCallGoesToAnotherServerAfterTheTimeOfOneAttempt() throws Exception {
    SessionLimits limits = SessionLimits.DEFAULT.withResumeWindow(RESUME_WINDOW);
    try (JavaProcess first = JavaProcess.start(KilledServerTest.Program.class, "127.0.0.1:0");
        JavaProcess second = JavaProcess.start(KilledServerTest.Program.class, "127.0.0.1:0");
        VerbenaClient client = VerbenaClient.builder().limits(limits).build();
        BalancedChannel channel =
            BalancedChannel.builder(client, "static:" + first.line() + "," + second.line())
                .balancer(Balancer.pickFirst())
                .retries(Retries.DEFAULT.withAttemptTimeout(ONE_ATTEMPT))
                .build()) {
      await()
          .atMost(NO_HANG)
          .until(
              () ->
                  channel.stat().endpoints().stream()
                      .allMatch(one -> one.state() == SessionState.OPEN));
      first.freeze();
      CompletableFuture<Long> call =
          ParlourRpc.async(channel).next(1).toCompletableFuture(); // its own time is a minute
      assertThat(call).succeedsWithin(NO_HANG).isEqualTo(2L);
      assertThat(channel.stat().retries()).isOne();
      assertThat(channel.stat().endpoints().getLast().attempts()).isOne();
    }
  }
}
