package io.verbena.core.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.Answer;
import io.verbena.api.CallOptions;
import io.verbena.api.ClientCall;
import io.verbena.api.ClientInterceptor;
import io.verbena.api.Metadata;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.Received;
import io.verbena.api.bulk.Source;
import io.verbena.core.VerbenaServer;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Calls whose results go to landings, by way of interceptors. */
class InterceptedLandingTest {
  private static final int LENGTH = 1 << 20;
  private static final Metadata.Key<String> SHELF = Metadata.Key.text("shelf");

  private final BulkWorld bulk = new BulkWorld(false, this::serve);
  private final MemorySegment bytes = bulk.bytes(LENGTH, 1);
  private final List<Metadata> replies = new ArrayList<>();
  private boolean closed;
  private @Nullable Received replaced;
  private int released;

  private void serve(VerbenaServer.Builder server) {
    server
        .serve(LibraryRpc.bind(new Shelves()))
        .serverInterceptor(
            (call, next) -> {
              Received another = replaced;
              if (another != null) {
                next.onResult(result -> another);
              }
              next.run();
              call.replyMetadata(Metadata.EMPTY.with(SHELF, "north"));
              if (closed) {
                closed = false;
                throw new RpcException(RpcStatus.UNAVAILABLE, "closed for today");
              }
            });
  }

  private final class Shelves implements Library {
    @Override
    public Received read(String title, Landing into) {
      return Received.from(Source.of(bytes), () -> released++);
    }

    @Override
    public Loan borrow(String title) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Received cover(Landing into, int page) {
      return Received.from(Source.of(bytes));
    }
  }

  /** Makes one more attempt at what fails. */
  private final class Again implements ClientInterceptor {
    @Override
    public <R> CompletionStage<Answer<R>> intercept(ClientCall<R> call) {
      return call.proceed()
          .exceptionallyCompose(failure -> call.proceed())
          .whenComplete((answer, failure) -> replies.add(call.replyMetadata()));
    }
  }

  @AfterEach
  void close() {
    bulk.assertNothingLeft();
    assertThat(bulk.client.slotsInUse()).as("slots in use").isZero();
    bulk.close();
  }

  private void assertLands(CompletionStage<Received> call) {
    try (Received received = bulk.await(call)) {
      assertThat(received.memory().mismatch(bytes)).isEqualTo(-1);
    }
  }

  @Test
  void landAlsoAtASecondAttempt() {
    CallOptions options = CallOptions.DEFAULT.withInterceptors(new Again());
    LibraryRpc.Async library = LibraryRpc.async(bulk.session, options);
    for (boolean first : new boolean[] {false, true}) {
      closed = first;
      assertLands(library.read("book", Landing.of(bulk.room(LENGTH))));
      closed = first;
      assertLands(library.cover(Landing.pooled(LENGTH), 1));
    }
    assertThat(replies).hasSize(4).allMatch(beside -> "north".equals(beside.get(SHELF)));
  }

  @Test
  void anObjectThatAnInterceptorPutsAnotherInThePlaceOfIsFree() {
    replaced = Received.from(Source.of(bytes));
    assertLands(LibraryRpc.async(bulk.session).read("book", Landing.pooled(LENGTH)));
    assertThat(released).isOne();
  }

  @Test
  void anObjectDoesNotLeaveWhereAnInterceptorReplacesTheAnswer() {
    closed = true;
    RpcException failure =
        bulk.awaitFailure(
            LibraryRpc.async(bulk.session).read("book", Landing.of(bulk.room(LENGTH))),
            RpcException.class);
    assertThat(failure.status()).isEqualTo(RpcStatus.UNAVAILABLE);
    assertThat(failure.metadata().get(SHELF)).isEqualTo("north");
    assertThat(released).isOne();
  }
}
