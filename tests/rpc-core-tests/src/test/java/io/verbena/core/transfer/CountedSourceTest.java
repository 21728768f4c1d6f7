package io.verbena.core.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.ObjectRef;
import io.verbena.api.bulk.Published;
import io.verbena.api.bulk.PushHandler;
import io.verbena.api.bulk.Received;
import io.verbena.api.bulk.Source;
import io.verbena.api.bulk.Transfer;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The uses of a source are counted: each begins, and ends once, whatever became of it. */
class CountedSourceTest {
  private static final int LENGTH = 1 << 20;

  private final BulkWorld bulk =
      new BulkWorld(false, server -> server.serve(LibraryRpc.bind(new Shelves())));
  private int lent;
  private int back;

  private final class Shelves implements Library {
    @Override
    public Received read(String title, Landing into) {
      Source source = title.equals("lost") ? lost() : lent();
      return title.equals("twice") ? Received.from(source, () -> back++) : Received.from(source);
    }

    @Override
    public Loan borrow(String title) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Received cover(Landing into, int page) {
      throw new UnsupportedOperationException();
    }
  }

  /** Returns memory that is written over as soon as its use is over. */
  private Source lent() {
    MemorySegment memory = bulk.bytes(LENGTH, 1);
    return Source.gathered(Source.of(memory.asSlice(0, 10)), Source.of(memory.asSlice(10)))
        .counted(
            () -> lent++,
            () -> {
              memory.fill((byte) 0x55);
              back++;
            });
  }

  private Source lost() {
    return Source.file(Path.of("/nowhere/lost"), 0, 1).counted(() -> lent++, () -> back++);
  }

  private void assertAllBack() {
    bulk.assertNothingLeft();
    assertThat(back).as("uses that are over").isEqualTo(lent);
  }

  private void assertSame(Received received) {
    assertThat(received.memory().mismatch(bulk.bytes(LENGTH, 1))).isEqualTo(-1);
    received.close();
  }

  private List<Received> takePushes() {
    List<Received> taken = new ArrayList<>();
    bulk.open();
    bulk.accepted.getFirst().objects().onPush(new Taking(taken));
    return taken;
  }

  private record Taking(List<Received> taken) implements PushHandler {
    @Override
    public Landing offered(Offer offer) {
      return Landing.pooled(offer.length());
    }

    @Override
    public void received(Offer offer, Received received) {
      taken.add(received);
    }
  }

  @AfterEach
  void close() {
    bulk.close();
  }

  @Test
  void whenItWasPushed() {
    List<Received> taken = takePushes();
    bulk.await(bulk.session.objects().push("film", lent()));
    bulk.steps(10);
    assertSame(taken.getFirst());
    assertAllBack();
  }

  @Test
  void whenItsPushIsRefusedOrCancelledOrCannotBegin() {
    bulk.open();
    bulk.awaitFailure(bulk.session.objects().push("nobody takes it", lent()));
    assertAllBack();
    takePushes();
    Transfer cancelled = bulk.session.objects().push("film", lent());
    bulk.steps(20);
    assertThat(back).isLessThan(lent);
    cancelled.cancel();
    bulk.awaitFailure(cancelled);
    assertAllBack();
    Transfer early = bulk.session.objects().push("film", lent());
    early.cancel();
    bulk.awaitFailure(early);
    assertAllBack();
    assertThatThrownBy(() -> bulk.session.objects().push("x".repeat(2000), lent()))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> bulk.session.objects().push("lost", lost()))
        .hasMessageContaining("/nowhere/lost");
    assertAllBack();
  }

  @Test
  void whenItsSessionIsClosedBeforeOrMeanwhile() {
    takePushes();
    Transfer push = bulk.session.objects().push("film", lent());
    bulk.steps(20);
    bulk.session.close();
    bulk.awaitFailure(push);
    assertAllBack();
    bulk.awaitFailure(bulk.session.objects().push("film", lent()));
    assertAllBack();
  }

  @Test
  void whenItIsPublishedNoMoreAndItsLastFetchIsOver() {
    Published published = bulk.server.publish(lent(), BulkWorld.LEASE);
    assertSame(bulk.await(bulk.fetch(published.ref(), Landing.pooled(LENGTH))));
    Transfer fetch = bulk.fetch(published.ref(), Landing.pooled(LENGTH));
    bulk.steps(20);
    published.close();
    bulk.steps(2);
    assertThat(published.fetches()).isNotEmpty();
    assertThat(back).isLessThan(lent);
    assertSame(bulk.await(fetch));
    assertAllBack();
    published.close();
    assertAllBack();
  }

  @Test
  void whenItsLeaseIsOverOrItCannotBePublishedOrTheServerIsClosed() {
    bulk.server.publish(lent(), Duration.ofSeconds(1));
    bulk.world.pass(Duration.ofSeconds(2));
    assertAllBack();
    assertThatThrownBy(() -> bulk.server.publish(lost(), BulkWorld.LEASE))
        .hasMessageContaining("/nowhere/lost");
    assertAllBack();
    bulk.server.publish("name", Source.of(new byte[LENGTH]), BulkWorld.LEASE);
    assertThatThrownBy(() -> bulk.server.publish("name", lent(), BulkWorld.LEASE))
        .isInstanceOf(IllegalStateException.class);
    assertAllBack();
    bulk.server.publish(lent(), BulkWorld.LEASE);
    bulk.server.close();
    assertAllBack();
    assertThatThrownBy(() -> bulk.server.publish(lent(), BulkWorld.LEASE))
        .isInstanceOf(IllegalStateException.class);
    assertAllBack();
  }

  @Test
  void whenItAnsweredACallOrWasToAnswerOne() {
    LibraryRpc.Async library = LibraryRpc.async(bulk.session);
    assertSame(bulk.await(library.read("book", Landing.pooled(LENGTH))));
    assertAllBack();
    lent++;
    assertSame(bulk.await(library.read("twice", Landing.pooled(LENGTH))));
    assertAllBack();
    CompletableFuture<Received> lost =
        library.read("lost", Landing.pooled(LENGTH)).toCompletableFuture();
    bulk.world.runUntil(lost::isDone);
    assertThat(lost).isCompletedExceptionally();
    assertAllBack();
    CompletableFuture<Received> small =
        library.read("book", Landing.pooled(10)).toCompletableFuture();
    bulk.world.runUntil(small::isDone);
    assertThat(small).isCompletedExceptionally();
    assertAllBack();
  }

  @Test
  void whenAHandlerClosesWhatItDoesNotReturn() {
    Received answer = Received.from(lent());
    assertThat(back).isLessThan(lent);
    answer.close();
    answer.close();
    assertAllBack();
  }

  @Test
  void aBrokenReleaseHarmsNobody() {
    List<Received> taken = takePushes();
    Source broken =
        Source.of(bulk.bytes(LENGTH, 1))
            .counted(
                () -> {},
                () -> {
                  throw new IllegalStateException("it came back torn");
                });
    bulk.await(bulk.session.objects().push("film", broken));
    bulk.steps(10);
    assertSame(taken.getFirst());
    ObjectRef ref = bulk.publish(Source.of(bulk.bytes(LENGTH, 1)));
    assertSame(bulk.await(bulk.fetch(ref, Landing.pooled(LENGTH))));
  }

  @Test
  void anOwnerWhoseMemoryIsFreeAlreadyKeepsAUseFromBeginning() {
    Source freed =
        Source.of(new byte[1])
            .counted(
                () -> {
                  throw new IllegalStateException("freed");
                },
                () -> back++);
    assertThatThrownBy(() -> bulk.session.objects().push("film", freed)).hasMessage("freed");
    assertThatThrownBy(() -> bulk.server.publish(freed, BulkWorld.LEASE)).hasMessage("freed");
    assertThatThrownBy(() -> Received.from(freed)).hasMessage("freed");
    assertAllBack();
  }

  @Test
  void manyUsesOfOneSourceAreCountedEachByItself() {
    takePushes();
    Source source = lent();
    bulk.session.objects().push("first", source);
    bulk.session.objects().push("second", source);
    bulk.session.objects().push("third", source).cancel();
    assertThat(lent).isEqualTo(3);
    bulk.world.pass(Duration.ofSeconds(1));
    assertThat(back).isEqualTo(3);
  }

  @Test
  void aPieceIsNotCountedAndNothingIsTwice() {
    Source counted = Source.of(new byte[1]).counted(() -> {}, () -> {});
    assertThatThrownBy(() -> Source.gathered(counted))
        .hasMessageContaining("let the uses of the gathered source be");
    assertThatThrownBy(() -> counted.counted(() -> {}, () -> {}))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
