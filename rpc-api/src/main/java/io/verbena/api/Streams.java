package io.verbena.api;

import io.verbena.api.settings.Checks;
import java.util.Iterator;
import java.util.concurrent.Flow;
import java.util.stream.BaseStream;

/**
 * Conversions between the streams of calls and collections, Java streams and iterators. Any thread
 * may use the results, except that a {@link StreamIterator} is for one thread.
 */
public final class Streams {
  private Streams() {}

  /**
   * Returns a publisher of a collection's items for any number of subscribers.
   *
   * <p>The publisher reads items on the thread that requests them. If it is an argument or a result
   * of a call, that is a handler thread, so the iterator may block.
   */
  public static <T> Flow.Publisher<T> of(Iterable<? extends T> items) {
    Checks.required("items", items);
    return subscriber -> publish(subscriber, items.iterator(), () -> {});
  }

  /**
   * Returns a publisher of a stream's items for one subscriber. The stream is closed when it ends
   * or is cancelled. If it is an argument that the server never subscribes to, it stays open.
   * {@code subscriber -> Streams.of(Files.lines(path)).subscribe(subscriber)} avoids that, because
   * it opens the stream only when the server subscribes.
   */
  public static <T> Flow.Publisher<T> of(BaseStream<? extends T, ?> items) {
    Checks.required("items", items);
    return subscriber -> publish(subscriber, items.iterator(), items::close);
  }

  private static <T> void publish(
      Flow.Subscriber<? super T> subscriber, Iterator<? extends T> items, Runnable ended) {
    subscriber.onSubscribe(new IteratedItems<T>(subscriber, items, ended));
  }

  /**
   * Subscribes to a publisher and returns an iterator over its items. It requests at most 64 items
   * ahead. Close the iterator to cancel a stream that has not ended.
   */
  public static <T> StreamIterator<T> iterate(Flow.Publisher<? extends T> items) {
    StreamIterator<T> iterator = new StreamIterator<>();
    Checks.required("items", items).subscribe(iterator.subscriber());
    return iterator;
  }
}
