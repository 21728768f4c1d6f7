package io.verbena.core.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.api.RpcStatus;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.PushHandler;
import io.verbena.api.bulk.Received;
import io.verbena.api.bulk.Source;
import io.verbena.api.bulk.Transfer;
import io.verbena.api.bulk.TransferException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Push handlers that run on the event loop: nothing is left to handler threads, nor harmed. */
class NonBlockingPushTest {
  /** More than a push of {@link #LENGTH} bytes takes. */
  private static final int STEPS = 200;

  private static final int LENGTH = 100_000;

  private final BulkWorld bulk = new BulkWorld();
  private final MemorySegment bytes = bulk.bytes(LENGTH, 1);

  /** Takes objects into pooled memory, and keeps a copy of each. */
  private static class Taker implements PushHandler {
    final List<byte[]> taken = new ArrayList<>();
    int asked;

    @Override
    public @Nullable Landing offered(Offer offer) {
      asked++;
      return Landing.pooled(offer.length());
    }

    @Override
    public void received(Offer offer, Received received) {
      try (received) {
        taken.add(received.memory().toArray(ValueLayout.JAVA_BYTE));
      }
    }

    @Override
    public boolean nonBlocking() {
      return true;
    }
  }

  @BeforeEach
  void open() {
    bulk.open();
    bulk.world.settle();
  }

  @AfterEach
  void close() {
    bulk.assertNothingLeft();
    bulk.close();
  }

  private void takes(PushHandler handler) {
    bulk.accepted.getFirst().objects().onPush(handler);
  }

  private Transfer push() {
    return bulk.session.objects().push("photo", Source.of(bytes));
  }

  /** Steps the loops, and no handler thread. */
  private void stepLoops() {
    for (int i = 0; i < STEPS; i++) {
      bulk.world.step();
    }
  }

  private void assertTheNextArrives() {
    Taker taker = new Taker();
    takes(taker);
    bulk.await(push());
    assertThat(taker.taken).containsExactly(bytes.toArray(ValueLayout.JAVA_BYTE));
  }

  @Test
  void anObjectArrivesWithoutAHandlerThread() {
    Taker taker = new Taker();
    takes(taker);
    Transfer push = push();
    stepLoops();
    assertThat(BulkWorld.isOver(push)).isTrue();
    assertThat(taker.taken).containsExactly(bytes.toArray(ValueLayout.JAVA_BYTE));
    assertThat(bulk.world.runHandlers()).isZero();
  }

  @Test
  void othersWaitForAHandlerThread() {
    Taker taker =
        new Taker() {
          @Override
          public boolean nonBlocking() {
            return false;
          }
        };
    takes(taker);
    Transfer push = push();
    stepLoops();
    assertThat(taker.asked).isZero();
    bulk.await(push);
    bulk.world.settle();
    assertThat(taker.taken).hasSize(1);
  }

  @Test
  void anObjectThatFindsNoMemoryWaitsUntilThereIsSome() {
    List<Received> kept = new ArrayList<>();
    takes(
        new Taker() {
          @Override
          public void received(Offer offer, Received received) {
            kept.add(received);
          }
        });
    Source large = Source.of(bulk.bytes((int) BulkWorld.MEMORY / 2, 1));
    bulk.await(bulk.session.objects().push("first", large));
    Transfer second = bulk.session.objects().push("second", large);
    bulk.world.settle();
    assertThat(BulkWorld.isOver(second)).isFalse();
    kept.removeFirst().close();
    bulk.await(second);
    bulk.world.settle();
    kept.removeFirst().close();
  }

  @Test
  void aFileIsOpenedOnAHandlerThreadAllTheSame(@TempDir Path directory) throws IOException {
    Path file = directory.resolve("photo");
    Taker taker =
        new Taker() {
          @Override
          public Landing offered(Offer offer) {
            asked++;
            return Landing.file(file);
          }

          @Override
          public void received(Offer offer, Received received) {
            assertThat(file).hasSize(offer.length());
            received.close();
          }
        };
    takes(taker);
    Transfer push = push();
    stepLoops();
    assertThat(taker.asked).isEqualTo(1);
    assertThat(directory).isEmptyDirectory();
    bulk.await(push);
    assertThat(Files.readAllBytes(file)).isEqualTo(bytes.toArray(ValueLayout.JAVA_BYTE));
    assertThat(taker.asked).isEqualTo(1);
  }

  @Test
  void longPooledMemoryIsClaimedOnAHandlerThreadAllTheSame() {
    MemorySegment longer = bulk.bytes(2 << 20, 2);
    Taker taker = new Taker();
    takes(taker);
    Transfer push = bulk.session.objects().push("film", Source.of(longer));
    stepLoops();
    assertThat(taker.asked).isEqualTo(1);
    assertThat(bulk.server.bulkStats().memoryInUse()).isZero();
    bulk.await(push);
    assertThat(taker.taken).containsExactly(longer.toArray(ValueLayout.JAVA_BYTE));
    assertThat(taker.asked).isEqualTo(1);
  }

  @Test
  void aRefusalSaysSo() {
    takes(
        new Taker() {
          @Override
          public @Nullable Landing offered(Offer offer) {
            return null;
          }
        });
    assertThat(bulk.awaitFailure(push()).status()).isEqualTo(RpcStatus.PERMISSION_DENIED);
    assertTheNextArrives();
  }

  @Test
  void aLandingThatIsTooSmallSaysSo() {
    takes(
        new Taker() {
          @Override
          public Landing offered(Offer offer) {
            return Landing.pooled(offer.length() - 1);
          }
        });
    assertThat(bulk.awaitFailure(push()))
        .hasMessageContaining("takes %d bytes, the object has %d", LENGTH - 1, LENGTH);
    assertTheNextArrives();
  }

  @Test
  void whateverAHandlerThrowsWhenAskedFailsItsPushAlone() {
    List<Throwable> all =
        List.of(
            new IllegalStateException("out of ideas"),
            new AssertionError("out of luck"),
            new Throwable("out of place"));
    for (Throwable thrown : all) {
      takes(
          new Taker() {
            @Override
            public Landing offered(Offer offer) {
              throw NonBlockingPushTest.<RuntimeException>unchecked(thrown);
            }
          });
      TransferException failure = bulk.awaitFailure(push());
      assertThat(failure.status()).isEqualTo(RpcStatus.INTERNAL);
      assertThat(failure)
          .hasMessageContaining("push 'photo'")
          .hasMessageContaining("on the other end")
          .hasMessageContaining(thrown.getClass().getSimpleName() + ": " + thrown.getMessage());
      assertTheNextArrives();
    }
  }

  /** Any code on the class path may throw what it does not declare. */
  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  private static <T extends Throwable> T unchecked(Throwable any) throws T {
    throw (T) any;
  }

  @Test
  void aHandlerThatFailsWithWhatHasArrivedHarmsNobody() {
    for (Throwable thrown : List.of(new IllegalStateException("full"), new AssertionError("no"))) {
      takes(
          new Taker() {
            @Override
            public void received(Offer offer, Received received) {
              received.close();
              throw NonBlockingPushTest.<RuntimeException>unchecked(thrown);
            }
          });
      assertThat(bulk.await(push()).length()).isEqualTo(LENGTH);
      assertTheNextArrives();
    }
  }

  @Test
  void aHandlerThatCannotSayWhereItRunsIsNotSet() {
    Taker before = new Taker();
    takes(before);
    Taker undecided =
        new Taker() {
          @Override
          public boolean nonBlocking() {
            throw new IllegalStateException("it depends");
          }
        };
    assertThatThrownBy(() -> takes(undecided)).hasMessageContaining("it depends");
    bulk.await(push());
    assertThat(before.taken).hasSize(1);
  }
}
