package io.verbena.api;

import io.verbena.api.settings.Checks;
import java.util.Iterator;
import java.util.concurrent.Flow;
import java.util.stream.BaseStream;

/**
 * Streams of calls for code that would rather iterate. What it returns may be used by any thread,
 * but a {@link StreamIterator} by one.
 */
public final class Streams {
  private Streams() {}

  /**
   * Returns a publisher of a collection's items, to any number of subscribers.
   *
   * <p>Items are taken from it on the thread that requests them: where the publisher is an argument
   * or a result of a call that is a handler's thread, so that its iterator may block.
   */
  public static <T> Flow.Publisher<T> of(Iterable<? extends T> items) {
    Checks.required("items", items);
    return subscriber -> publish(subscriber, items.iterator(), () -> {});
  }

  /**
   * Returns a publisher of a stream's items, to one subscriber. The stream is closed when it ends,
   * and when it is cancelled. A call's argument that the server has not asked for is neither, and
   * stays open: {@code subscriber -> Streams.of(Files.lines(path)).subscribe(subscriber)} opens it
   * when it is asked for.
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
   * Subscribes, and returns the items one by one. At most 64 of them are asked for ahead. Close it:
   * that cancels what has not ended.
   */
  public static <T> StreamIterator<T> iterate(Flow.Publisher<? extends T> items) {
    StreamIterator<T> iterator = new StreamIterator<>();
    Checks.required("items", items).subscribe(iterator.subscriber());
    return iterator;
  }
}
