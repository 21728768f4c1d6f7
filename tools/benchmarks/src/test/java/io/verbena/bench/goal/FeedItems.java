package io.verbena.bench.goal;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;

/** A publisher of items of 1 KiB, each made as it is sent, and their counting. */
final class FeedItems implements Flow.Subscription {
  static final int BYTES = 1024;

  private final Flow.Subscriber<? super byte[]> to;
  private int left;
  private long wanted;
  private boolean sending;
  private boolean over;

  private FeedItems(int count, Flow.Subscriber<? super byte[]> to) {
    this.left = count;
    this.to = to;
  }

  static Flow.Publisher<byte[]> of(int count) {
    return to -> to.onSubscribe(new FeedItems(count, to));
  }

  @Override
  public synchronized void request(long number) {
    wanted += number;
    if (sending || over) {
      return; // it goes on below
    }
    sending = true;
    while (wanted > 0 && left > 0 && !over) {
      wanted--;
      left--;
      to.onNext(new byte[BYTES]);
    }
    sending = false;
    if (left == 0 && !over) {
      over = true;
      to.onComplete();
    }
  }

  @Override
  public synchronized void cancel() {
    over = true;
  }

  /** Requests all items, and returns their number when they have come. */
  static CompletableFuture<Integer> count(Flow.Publisher<byte[]> items) {
    CompletableFuture<Integer> counted = new CompletableFuture<>();
    items.subscribe(
        new Flow.Subscriber<>() {
          private int count;

          @Override
          public void onSubscribe(Flow.Subscription subscription) {
            subscription.request(Long.MAX_VALUE);
          }

          @Override
          public void onNext(byte[] item) {
            count++;
          }

          @Override
          public void onError(Throwable failure) {
            counted.completeExceptionally(failure);
          }

          @Override
          public void onComplete() {
            counted.complete(count);
          }
        });
    return counted;
  }
}
