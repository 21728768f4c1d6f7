package io.verbena.junit;

import static io.verbena.junit.Inner.failuresOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.StreamIterator;
import io.verbena.api.Streams;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Flow;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A test that leaves a stream open fails. */
class OpenStreamsTest {
  @Test
  void aTestFailsThatLeavesStreamsOpen() {
    String open = "the stream of store.v1/watch has neither ended nor been cancelled";
    assertThat(failuresOf(LeavesThree.class))
        .singleElement()
        .satisfies(
            failure ->
                assertThat(failure)
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining(
                        open
                            + "; "
                            + open
                            + "; the stream of store.v1/watch was never subscribed to")
                    .hasMessageContaining("close their iterators, or cancel"));
  }

  @Test
  void aTestPassesThatEndsItsStreams() {
    assertThat(failuresOf(EndsThem.class)).isEmpty();
  }

  /** Run by the tests above alone. */
  abstract static class OfStreams {
    @RegisterExtension
    final VerbenaExtension verbena = VerbenaExtension.serving(StoreRpc.bind(new MyStore()));
  }

  /** Run by the tests above alone: one is not taken, one read once, of one an item requested. */
  static class LeavesThree extends OfStreams {
    @Test
    void leaves(Store store) throws Exception {
      assertThat(store.watch("key")).isNotNull();
      StreamIterator<String> each = Streams.iterate(store.watch("key"));
      assertThat(each.next()).isEmpty();
      CountDownLatch came = new CountDownLatch(1);
      store.watch("key").subscribe(new Taker(came, false));
      came.await();
    }
  }

  /** Run by the tests above alone. */
  static class EndsThem extends OfStreams {
    @Test
    void ends(Store store) throws Exception {
      try (StreamIterator<String> each = Streams.iterate(store.watch("key"))) {
        assertThat(each.next()).isEmpty();
      }
      CountDownLatch came = new CountDownLatch(1);
      store.watch("key").subscribe(new Taker(came, true));
      came.await();
    }
  }

  /** Requests one item, and may throw for it, which ends its stream. */
  private record Taker(CountDownLatch came, boolean throwsThen) implements Flow.Subscriber<String> {
    @Override
    public void onSubscribe(Flow.Subscription subscription) {
      subscription.request(1);
    }

    @Override
    public void onNext(String item) {
      came.countDown();
      if (throwsThen) {
        throw new IllegalStateException("no more");
      }
    }

    @Override
    public void onError(Throwable failure) {}

    @Override
    public void onComplete() {}
  }
}
