package io.verbena.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.verbena.api.CallOptions;
import io.verbena.api.Execution;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.Session;
import io.verbena.api.SessionState;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A user's tests of a service. */
class StoreTest {
  private final MyStore service = new MyStore();

  @RegisterExtension
  final VerbenaExtension verbena = VerbenaExtension.serving(StoreRpc.bind(service));

  @BeforeEach
  void put(Store store) {
    store.append("key", "value");
  }

  @Test
  void findsWhatWasPut(Store store) {
    assertThat(store.get("key")).isEqualTo("value");
  }

  @Test
  void hasASessionThatIsOpen(Session session) {
    assertThat(session.state()).isEqualTo(SessionState.OPEN);
    assertThat(session).isSameAs(verbena.session());
    assertThat(StoreRpc.client(session).get("key")).isEqualTo("value");
    assertThat(verbena.client(Store.class).get("key")).isEqualTo("value");
  }

  @Test
  void failsOnceAndIsTriedAgain(Store store) {
    verbena
        .faults()
        .on("store.v1/append")
        .times(1)
        .fail(RpcStatus.UNAVAILABLE, Execution.NOT_EXECUTED);

    RpcException failure =
        catchThrowableOfType(RpcException.class, () -> store.append("key", ", more"));

    assertThat(failure.status()).isEqualTo(RpcStatus.UNAVAILABLE);
    assertThat(failure.mayRetry()).isTrue();
    assertThat(service.get("key")).isEqualTo("value");
    assertThat(store.append("key", ", more")).isEqualTo("value, more");
  }

  @Test
  void losesTheAnswerOfACallThatWasExecuted(Store store) {
    verbena.faults().on("store.v1/append").fail(RpcStatus.UNAVAILABLE, Execution.UNKNOWN);

    RpcException failure =
        catchThrowableOfType(RpcException.class, () -> store.append("key", ", more"));

    assertThat(failure.execution()).isEqualTo(Execution.UNKNOWN);
    assertThat(failure.mayRetry()).isFalse(); // append is not idempotent
    assertThat(service.get("key")).isEqualTo("value, more");
  }

  @Test
  void onlyTheMethodOfAFaultMeetsItAndNoneWhenFaultsAreCleared(Store store) {
    verbena.faults().on("store.v1/append").fail(RpcStatus.INTERNAL, Execution.NOT_EXECUTED);
    assertThat(store.get("key")).isEqualTo("value");
    verbena.faults().clear();
    assertThat(store.append("key", "!")).isEqualTo("value!");
  }

  @Test
  void aFaultOfNoMethodIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> verbena.faults().on("store.v1/gett"))
        .withMessageContaining("store.v1/gett")
        .withMessageContaining("store.v1/get,");
  }

  @Test
  void aCallGoesOnOverTheNextConnection() throws Exception {
    CompletableFuture<String> call =
        StoreRpc.async(verbena.session()).waitFor("key").toCompletableFuture();
    service.called.await();
    Losses losses = new Losses();
    verbena.session().listen(losses);

    verbena.dropLink();
    assertThat(losses.await()).isTrue();
    service.goOn.countDown();

    assertThat(call.get()).isEqualTo("value");
  }

  @Test
  void aCallThatIsDelayedForTooLongMeetsItsDeadline() {
    verbena.faults().on("store.v1/get").times(1).delay(Duration.ofHours(1));
    Store hasty = StoreRpc.client(verbena.session(), CallOptions.timeout(Duration.ofMillis(20)));

    RpcException failure = catchThrowableOfType(RpcException.class, () -> hasty.get("key"));

    assertThat(failure.status()).isEqualTo(RpcStatus.DEADLINE_EXCEEDED);
    assertThat(failure.execution()).isEqualTo(Execution.NOT_EXECUTED);
  }

  @Test
  void aCallThatIsDelayedIsMadeThen(Store store) {
    verbena.faults().on("store.v1/get").delay(Duration.ofMillis(1));
    assertThat(store.get("key")).isEqualTo("value");
  }

  @Test
  void timeIsNotSteppedUnlessAskedFor() {
    assertThatIllegalStateException()
        .isThrownBy(() -> verbena.time())
        .withMessageContaining("steppedTime()");
  }
}
