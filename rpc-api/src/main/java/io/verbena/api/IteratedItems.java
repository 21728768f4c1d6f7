package io.verbena.api;

import java.util.Iterator;
import java.util.Objects;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicLong;

/** Publishes an iterator's items as they are requested, on one of the requesting threads. */
final class IteratedItems<T> implements Flow.Subscription {
  private final Flow.Subscriber<? super T> subscriber;
  private final Iterator<? extends T> items;
  private final Runnable ended;

  /**
   * The number of items requested and not yet published. The thread that raises it from 0
   * publishes.
   */
  private final AtomicLong due = new AtomicLong();

  private volatile boolean over;

  IteratedItems(
      Flow.Subscriber<? super T> subscriber, Iterator<? extends T> items, Runnable ended) {
    this.subscriber = subscriber;
    this.items = items;
    this.ended = ended;
  }

  @Override
  public void request(long number) {
    if (number <= 0) {
      cancel();
      subscriber.onError(new IllegalArgumentException(number + " items requested"));
    } else if (due.getAndAccumulate(number, IteratedItems::sum) == 0) {
      handOn();
    }
  }

  private static long sum(long a, long b) {
    return a + b < 0 ? Long.MAX_VALUE : a + b;
  }

  private void handOn() {
    long seen = due.get();
    do {
      for (long left = seen; left > 0 && !over; left--) {
        try {
          if (items.hasNext()) {
            subscriber.onNext(Objects.requireNonNull(items.next(), "an item is null"));
          }
          if (!over && !items.hasNext()) {
            cancel();
            subscriber.onComplete();
          }
        } catch (RuntimeException | Error e) { // of the iterator
          if (!over) {
            cancel();
            subscriber.onError(e);
          }
        }
      }
      seen = due.addAndGet(-seen);
    } while (seen > 0 && !over);
  }

  @Override
  public void cancel() {
    if (!over) {
      over = true;
      ended.run();
    }
  }
}
