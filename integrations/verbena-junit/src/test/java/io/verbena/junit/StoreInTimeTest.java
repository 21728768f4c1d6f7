package io.verbena.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.Session;
import io.verbena.api.SessionState;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A user's tests of what a service does as time passes. */
class StoreInTimeTest {
  private final MyStore service = new MyStore();

  @RegisterExtension
  final VerbenaExtension verbena = VerbenaExtension.serving(StoreRpc.bind(service)).steppedTime();

  @Test
  void givesUpAfterAMinute(Session session) throws Exception {
    CompletableFuture<String> call = StoreRpc.async(session).waitFor("key").toCompletableFuture();
    service.called.await();

    verbena.time().advance(Duration.ofSeconds(59));
    assertThat(call).isNotDone();
    verbena.time().advance(Duration.ofSeconds(1));

    assertThat(call)
        .failsWithin(Duration.ZERO)
        .withThrowableOfType(ExecutionException.class)
        .havingCause()
        .asInstanceOf(type(RpcException.class))
        .returns(RpcStatus.DEADLINE_EXCEEDED, RpcException::status);
  }

  @Test
  void aDelayPassesInTheTestsTime(Session session) throws Exception {
    verbena.faults().on("store.v1/get").delay(Duration.ofMillis(50));
    CompletableFuture<String> call = StoreRpc.async(session).get("key").toCompletableFuture();

    verbena.time().advance(Duration.ofMillis(49));
    assertThat(call).isNotDone();
    verbena.time().advance(Duration.ofMillis(1));

    assertThat(call.get()).isEmpty();
  }

  @Test
  void whatIsDueEarlierHappensEarlier(Session session) {
    verbena.faults().on("store.v1/length").delay(Duration.ofSeconds(1));
    CompletableFuture<Integer> call = StoreRpc.async(session).length("key").toCompletableFuture();

    verbena.time().advance(Duration.ofMinutes(1)); // past the deadline of 2 s

    assertThat(call).isCompletedWithValue(0);
  }

  @Test
  void aSessionOutlivesTenMinutesWithoutCalls(Session session, Store store) {
    Losses losses = new Losses();
    session.listen(losses);
    verbena.time().advance(Duration.ofMinutes(10));
    assertThat(losses.any()).isFalse();
    assertThat(session.state()).isEqualTo(SessionState.OPEN);
    assertThat(store.append("key", "value")).isEqualTo("value");
  }

  @Test
  void aCallGoesOnOverTheNextConnection(Session session) throws Exception {
    CompletableFuture<String> call = StoreRpc.async(session).waitFor("key").toCompletableFuture();
    service.called.await();
    Losses losses = new Losses();
    session.listen(losses);

    verbena.dropLink();
    assertThat(losses.await()).isTrue();
    verbena.time().advance(Duration.ofSeconds(1));
    service.goOn.countDown();

    assertThat(call.get()).isEmpty();
  }
}
