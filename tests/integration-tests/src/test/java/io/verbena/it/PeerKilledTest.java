package io.verbena.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.verbena.api.CallPhase;
import io.verbena.api.Execution;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.Session;
import io.verbena.core.VerbenaClient;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A server's process that dies or stops in the middle of a call. */
class PeerKilledTest {
  /** Far less than the call's deadline of two minutes, far more than the bounds on a busy host. */
  private static final int SECONDS = 40;

  private final VerbenaClient client = VerbenaClient.builder().limits(HouseProcess.LIMITS).build();

  @AfterEach
  void leavesNoSlotInUse() {
    // The session that was closed tells its peer so, on its own thread.
    await().untilAsserted(() -> assertThat(client.slotsInUse()).isZero());
    client.close();
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

  @Test
  @Tag("long")
  void itsCallersAreToldInTimeAndTheOneThatReplacesItIsUsedByTheSameStub() throws Exception {
    try (HouseProcess first = new HouseProcess("127.0.0.1:0");
        Session session = client.connect(first.address())) {
      House house = HouseRpc.client(session);
      assertThat(house.add(1)).isEqualTo(2);
      CompletableFuture<String> stay = HouseRpc.async(session).stay().toCompletableFuture();
      first.awaitStay();
      first.kill();
      RpcException failure = failureOf(stay);
      assertThat(failure.status()).isEqualTo(RpcStatus.UNAVAILABLE);
      assertThat(failure.execution()).isEqualTo(Execution.UNKNOWN);
      assertThat(failure.phase()).isIn(CallPhase.SENT, CallPhase.RECEIVED);
      try (HouseProcess second = new HouseProcess(first.address())) {
        assertThat(second.address()).isEqualTo(first.address());
        assertThat(house.add(2)).isEqualTo(3);
      }
    }
  }

  @Test
  @Tag("long")
  void aFrozenOneIsGivenUpByTheKeepalive() throws Exception {
    try (HouseProcess server = new HouseProcess("127.0.0.1:0");
        Session session = client.connect(server.address())) {
      CompletableFuture<String> stay = HouseRpc.async(session).stay().toCompletableFuture();
      server.awaitStay();
      server.freeze();
      RpcException failure = failureOf(stay);
      assertThat(failure.status()).isEqualTo(RpcStatus.UNAVAILABLE);
      assertThat(failure.execution()).isEqualTo(Execution.UNKNOWN);
    }
  }
}
