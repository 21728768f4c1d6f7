package io.verbena.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.verbena.api.Answer;
import io.verbena.api.ClientCall;
import io.verbena.api.ClientInterceptor;
import io.verbena.api.Execution;
import io.verbena.api.RpcStatus;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A user's tests with settings of their own at both ends. */
class SetUpTest {
  private final List<String> served = new CopyOnWriteArrayList<>();

  @RegisterExtension
  final VerbenaExtension verbena =
      VerbenaExtension.serving(StoreRpc.bind(new MyStore()))
          .server(
              server ->
                  server.serverInterceptor(
                      (call, next) -> {
                        served.add(call.method().name());
                        next.run();
                      }))
          .client(client -> client.clientInterceptor(new SecondAttempt()));

  /** Makes a call once more where it has failed. */
  private static final class SecondAttempt implements ClientInterceptor {
    @Override
    public <R> CompletionStage<Answer<R>> intercept(ClientCall<R> call) {
      return call.proceed().exceptionallyCompose(failure -> call.proceed());
    }
  }

  @Test
  void whatTheClientTriesAgainMeetsNoFaultThatIsSpent(Store store) {
    verbena.faults().on("store.v1/append").times(1).fail(RpcStatus.UNAVAILABLE, Execution.EXECUTED);

    assertThat(store.append("key", "+")).isEqualTo("++"); // executed twice
    assertThat(served).containsExactly("append", "append");
  }

  @Test
  void thereIsNothingToAskOutsideOfATest() {
    VerbenaExtension apart = VerbenaExtension.serving();
    assertThatIllegalStateException()
        .isThrownBy(apart::session)
        .withMessageContaining("no test runs");
  }
}
