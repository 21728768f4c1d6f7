package io.verbena.core.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.verbena.api.CallOptions;
import io.verbena.api.Execution;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.core.Probe;
import io.verbena.core.SessionLimits;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A call that is too long for an end fails alike, whichever end it is, and is never repeated. */
@Timeout(60)
class MessageLimitTest {
  private static final SessionLimits SHORT = SessionLimits.DEFAULT.withMaxMessageBytes(4096);

  private final VerbenaServer server =
      VerbenaServer.builder()
          .listen("mem://message-limit:0")
          .limits(SHORT)
          .serve(Probe.bind(new Probe.Plain()))
          .start();
  private final VerbenaClient client = VerbenaClient.builder().build();
  private final VerbenaClient shortClient = VerbenaClient.builder().limits(SHORT).build();

  @AfterEach
  void close() {
    client.close();
    shortClient.close();
    server.close();
  }

  private RpcException refusal(VerbenaClient by) {
    Probe.Stub stub = new Probe.Stub(by.connect(server.address().toString()), CallOptions.DEFAULT);
    RpcException refusal =
        catchThrowableOfType(RpcException.class, () -> stub.call(Probe.ECHO, "x".repeat(10_000)));
    assertThat(refusal.status()).isEqualTo(RpcStatus.INVALID_ARGUMENT);
    assertThat(refusal.execution()).isEqualTo(Execution.NOT_EXECUTED);
    assertThat(refusal.mayRetry()).isFalse();
    return refusal;
  }

  @Test
  void forThePeerTheMessageSaysToRaiseItThere() {
    assertThat(refusal(client)).hasMessageContaining("raise maxMessageBytes there");
  }

  @Test
  void forThisEndItSaysSo() {
    assertThat(refusal(shortClient)).hasMessageContaining("raise maxMessageBytes");
  }
}
