package io.verbena.junit;

import io.verbena.api.Streams;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.Received;
import io.verbena.api.bulk.Source;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Flow;
import java.util.stream.Stream;

/** A service as a user has it. */
final class MyStore implements Store {
  final CountDownLatch called = new CountDownLatch(1);
  final CountDownLatch goOn = new CountDownLatch(1);
  private final Map<String, String> values = new ConcurrentHashMap<>();

  @Override
  public String get(String key) {
    return values.getOrDefault(key, "");
  }

  @Override
  public String append(String key, String text) {
    return values.merge(key, text, String::concat);
  }

  @Override
  public String waitFor(String key) {
    called.countDown();
    try {
      goOn.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // its caller does not wait any more
    }
    return get(key);
  }

  @Override
  public int length(String key) {
    return get(key).length();
  }

  @Override
  public Received read(String key, Landing into) {
    return Received.from(Source.of(new byte[100_000]));
  }

  @Override
  public Flow.Publisher<String> watch(String key) {
    return Streams.of(Stream.generate(() -> get(key)));
  }
}
