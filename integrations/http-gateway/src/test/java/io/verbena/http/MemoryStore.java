package io.verbena.http;

import io.verbena.api.CallContext;
import io.verbena.api.Metadata;
import io.verbena.api.Streams;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.Received;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Serves {@link Store}, and tells tests what it was at. */
final class MemoryStore implements Store {
  final Map<String, Value> values = new ConcurrentHashMap<>();
  final CountDownLatch began = new CountDownLatch(1);
  final CountDownLatch cancelled = new CountDownLatch(1);
  final CountDownLatch goOn = new CountDownLatch(1);
  final CountDownLatch noted = new CountDownLatch(1);
  final AtomicLong produced = new AtomicLong();
  final CountDownLatch streamEnded = new CountDownLatch(1);

  @Override
  public Value get(String key) throws NoSuchKey {
    Value value = values.get(key);
    if (value == null) {
      throw new NoSuchKey("nothing is kept under '" + key + "'");
    }
    return value;
  }

  @Override
  public void put(String key, Value value) {
    values.put(key, value);
  }

  @Override
  public Flow.Publisher<Integer> count(int from, int to) {
    return Streams.of(IntStream.rangeClosed(from, to).boxed());
  }

  @Override
  public long sum(String what, Flow.Publisher<Integer> numbers) {
    long sum = 0;
    try (var each = Streams.iterate(numbers)) {
      while (each.hasNext()) {
        sum += each.next();
      }
    }
    return sum;
  }

  @Override
  public String who(String metadata) {
    CallContext call = CallContext.current();
    call.replyMetadata(
        Metadata.EMPTY
            .with(Metadata.Key.text("served-by"), "memory")
            .with(Metadata.Key.text("in-words"), "grün")
            .with(Metadata.Key.text("bin-colour"), "red"));
    Metadata.Key<String> key = Metadata.Key.text(metadata);
    return "%s from %s by %s: %s"
        .formatted(
            call.session().peer().identity(),
            call.session().peer().address(),
            call.session().path().link(),
            call.metadata().get(key));
  }

  @Override
  public void sleep() {
    await(cancelled);
  }

  @Override
  public void note(String text) {
    noted.countDown();
  }

  @Override
  public byte[] bytes(int length) {
    produced.incrementAndGet();
    return new byte[length];
  }

  @Override
  public Flow.Publisher<String> endless(int length) {
    String text = "x".repeat(length);
    return Streams.of(
        Stream.generate(
                () -> {
                  produced.incrementAndGet();
                  return text;
                })
            .onClose(streamEnded::countDown));
  }

  @Override
  public Flow.Publisher<Integer> broken() {
    return Streams.of(
        IntStream.rangeClosed(1, 3)
            .mapToObj(
                i -> {
                  if (i == 3) {
                    throw new IllegalStateException("the third is broken");
                  }
                  return i;
                }));
  }

  @Override
  public Flow.Publisher<Integer> silent() {
    return subscriber ->
        subscriber.onSubscribe(
            new Flow.Subscription() {
              @Override
              public void request(long number) {}

              @Override
              public void cancel() {}
            });
  }

  @Override
  public Received picture(Landing into) {
    throw new UnsupportedOperationException();
  }

  /** Runs until {@link #goOn}, or its call is cancelled. */
  @Override
  public long held() {
    CallContext.current().onCancel(cancelled::countDown);
    began.countDown();
    await(goOn);
    return 7;
  }

  @Override
  public int length(byte[] bytes) {
    return bytes.length;
  }

  @Override
  public Failure last() {
    return new Failure("none was there");
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await(30, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      // A result could be there before the clock of whoever waits for it has seen the deadline.
      throw new IllegalStateException("nobody waits for it any more", e);
    }
  }
}
