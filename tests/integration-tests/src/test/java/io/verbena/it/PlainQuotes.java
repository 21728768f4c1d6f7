package io.verbena.it;

import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.StreamIterator;
import io.verbena.api.Streams;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/** Quotes without end; {@code few} are three, {@code broken} fail behind one. */
final class PlainQuotes implements Quotes {
  /** The last price that the publisher was asked for. */
  final AtomicLong requested = new AtomicLong();

  /** Completes when a publisher is cancelled, or has ended. */
  final CompletableFuture<Void> cancelled = new CompletableFuture<>();

  @Override
  public Flow.Publisher<Quote> watch(String symbol, int chartBytes) throws Unknown {
    if (symbol.isEmpty()) {
      throw new Unknown("no symbol");
    }
    Stream<Quote> quotes =
        LongStream.iterate(1, price -> price + 1)
            .peek(price -> requested.set(price))
            .peek(price -> check(symbol, price))
            .mapToObj(
                price -> new Quote(symbol, price, MemorySegment.ofArray(new byte[chartBytes])))
            .onClose(() -> cancelled.complete(null));
    return Streams.of(symbol.equals("few") ? quotes.limit(3) : quotes);
  }

  private static void check(String symbol, long price) {
    if (symbol.equals("broken") && price == 3) {
      throw new RpcException(RpcStatus.PERMISSION_DENIED, "not that one");
    }
  }

  @Override
  public long total(Flow.Publisher<Long> amounts) {
    long sum = 0;
    try (StreamIterator<Long> each = Streams.iterate(amounts)) {
      while (each.hasNext()) {
        sum += each.next();
        if (sum < 0) {
          throw new RpcException(RpcStatus.INVALID_ARGUMENT, "in debt");
        }
      }
    }
    return sum;
  }

  @Override
  public Flow.Publisher<Long> doubled(Flow.Publisher<Long> amounts) {
    return subscriber ->
        amounts.subscribe(
            new Flow.Subscriber<>() {
              @Override
              public void onSubscribe(Flow.Subscription subscription) {
                subscriber.onSubscribe(subscription);
              }

              @Override
              public void onNext(Long amount) {
                subscriber.onNext(2 * amount);
              }

              @Override
              public void onError(Throwable failure) {
                subscriber.onError(failure);
              }

              @Override
              public void onComplete() {
                subscriber.onComplete();
              }
            });
  }

  @Override
  public Flow.Publisher<Quote> watchBriefly(String symbol) {
    return subscriber ->
        subscriber.onSubscribe(
            new Flow.Subscription() {
              @Override
              public void request(long number) {}

              @Override
              public void cancel() {
                cancelled.complete(null);
              }
            });
  }
}
