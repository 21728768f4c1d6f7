package io.verbena.core.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.PushHandler;
import io.verbena.api.bulk.Received;
import io.verbena.api.bulk.Source;
import io.verbena.api.bulk.Transfer;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An executor that takes no more, or a handler that throws, loses no object and no memory. */
class FullHandlersTest {
  private static final int LENGTH = 300_000;

  private boolean full;
  private final BulkWorld bulk = new BulkWorld(false, server -> server.handlers(this::execute));

  @TempDir
  @SuppressWarnings("NullAway.Init") // by JUnit
  Path directory;

  /** Has no threads of its own. */
  private void execute(Runnable task) {
    if (full) {
      throw new RejectedExecutionException("full");
    }
    task.run();
  }

  @AfterEach
  void close() {
    bulk.assertNothingLeft();
    bulk.close();
  }

  private Transfer push(PushHandler handler) {
    bulk.await(bulk.fetch(bulk.publish(Source.of(new byte[1])), Landing.pooled(1))).close();
    bulk.accepted.getFirst().objects().onPush(handler);
    return bulk.session.objects().push("x", Source.of(bulk.bytes(LENGTH, 1)));
  }

  /** Takes a push, and finds no thread free from then on. */
  private class Taker implements PushHandler {
    final Landing landing;
    final CompletableFuture<Long> received = new CompletableFuture<>();

    Taker(Landing landing) {
      this.landing = landing;
    }

    @Override
    public Landing offered(Offer offer) {
      full = true;
      return landing;
    }

    @Override
    public void received(Offer offer, Received object) {
      long length = object.length();
      object.close();
      received.complete(length);
    }
  }

  @Test
  void whatHasArrivedIsHandedOver() throws Exception {
    Taker taker = new Taker(Landing.pooled(LENGTH));
    assertThat(bulk.await(push(taker)).length()).isEqualTo(LENGTH);
    assertThat(taker.received.get(1, TimeUnit.MINUTES)).isEqualTo(LENGTH);
  }

  @Test
  void aFileIsWrittenAndMovedToItsPlace() {
    Path file = directory.resolve("file");
    assertThat(bulk.await(push(new Taker(Landing.file(file)))).length()).isEqualTo(LENGTH);
    assertThat(file).hasSize(LENGTH);
    assertThat(directory).isDirectoryNotContaining(one -> !one.equals(file));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aHandlerThatThrowsLeavesNoMemoryInUse(boolean nonBlocking) {
    bulk.await(
        push(
            new PushHandler() {
              @Override
              public Landing offered(Offer offer) {
                return Landing.pooled(LENGTH);
              }

              @Override
              public void received(Offer offer, Received object) {
                throw new IllegalStateException("no use for it");
              }

              @Override
              public boolean nonBlocking() {
                return nonBlocking;
              }
            }));
  }
}
