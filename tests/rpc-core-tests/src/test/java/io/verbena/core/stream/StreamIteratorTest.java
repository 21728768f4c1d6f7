package io.verbena.core.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.api.StreamIterator;
import io.verbena.api.Streams;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Flow;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The end of an iterator. */
class StreamIteratorTest {
  private static StreamIterator<Integer> three() {
    return Streams.iterate(Streams.of(List.of(1, 2, 3)));
  }

  @Test
  void nothingFollowsAClose() {
    StreamIterator<Integer> items = three();
    assertThat(items.next()).isEqualTo(1);
    assertThat(items.hasNext()).isTrue();
    items.close();
    assertThat(items.hasNext()).isFalse();
    assertThatThrownBy(items::next).isInstanceOf(NoSuchElementException.class);
  }

  @Test
  void nothingFollowsACloseAfterTheEnd() {
    StreamIterator<Integer> items = three();
    items.forEachRemaining(item -> {});
    items.close();
    assertThat(items.hasNext()).isFalse();
  }

  @Test
  @Timeout(30)
  void aCloseByAnotherThreadEndsAWait() throws Exception {
    CountDownLatch subscribed = new CountDownLatch(1);
    Flow.Publisher<Integer> silent =
        to ->
            to.onSubscribe(
                new Flow.Subscription() {
                  @Override
                  public void request(long n) {
                    subscribed.countDown();
                  }

                  @Override
                  public void cancel() {}
                });
    StreamIterator<Integer> items = Streams.iterate(silent);
    subscribed.await();
    Thread closer = Thread.ofVirtual().start(items::close);
    assertThat(items.hasNext()).isFalse();
    closer.join();
  }
}
