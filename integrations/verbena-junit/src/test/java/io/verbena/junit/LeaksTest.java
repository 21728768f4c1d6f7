package io.verbena.junit;

import static io.verbena.junit.Inner.failuresOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.Session;
import io.verbena.api.bulk.Landing;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A test that leaves something behind fails. */
class LeaksTest {
  @Test
  void aTestFailsThatLeavesACallBehind() {
    assertThat(failuresOf(LeavesACall.class))
        .singleElement()
        .satisfies(
            failure ->
                assertThat(failure)
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("the client waits for store.v1/waitFor")
                    .hasMessageContaining("the server's handler of store.v1/waitFor runs"));
  }

  @Test
  void aTestFailsThatDoesNotCloseWhatItReceived() {
    assertThat(failuresOf(LeavesAnObject.class))
        .singleElement()
        .satisfies(
            failure ->
                assertThat(failure)
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("the client has ")
                    .hasMessageContaining(" bytes of memory for large objects"));
  }

  @Test
  void aTestPassesThatWaitsForItsCalls() {
    assertThat(failuresOf(LeavesNothing.class)).isEmpty();
  }

  /** Run by the tests above alone: its name says nothing of a test. */
  static class LeavesACall {
    private final MyStore service = new MyStore();

    @RegisterExtension
    final VerbenaExtension verbena = VerbenaExtension.serving(StoreRpc.bind(service));

    @Test
    void leavesACall(Session session) throws Exception {
      StoreRpc.async(session).waitFor("key");
      service.called.await();
    }
  }

  /** Run by the tests above alone. */
  static class LeavesAnObject {
    @RegisterExtension
    final VerbenaExtension verbena = VerbenaExtension.serving(StoreRpc.bind(new MyStore()));

    @Test
    void leavesAnObject(Store store) {
      assertThat(store.read("key", Landing.pooled(1 << 20)).length()).isEqualTo(100_000);
    }
  }

  /** The same as the first, but for its end. */
  static class LeavesNothing {
    private final MyStore service = new MyStore();

    @RegisterExtension
    final VerbenaExtension verbena = VerbenaExtension.serving(StoreRpc.bind(service));

    @Test
    void waits(Session session) throws Exception {
      var call = StoreRpc.async(session).waitFor("key").toCompletableFuture();
      service.called.await();
      service.goOn.countDown();
      call.get();
    }
  }
}
