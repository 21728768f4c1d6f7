package io.verbena.compression;

import io.verbena.api.StreamIterator;
import io.verbena.api.Streams;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/** Hands back what it is given. */
final class PlainLibrary implements Library {
  final BlockingQueue<List<String>> shelved = new LinkedBlockingQueue<>();

  private final AtomicInteger copying = new AtomicInteger();

  /** How many were copying at once, at most. */
  final AtomicInteger most = new AtomicInteger();

  volatile long copyMillis;

  @Override
  public String copy(String page) {
    most.accumulateAndGet(copying.incrementAndGet(), Math::max);
    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(copyMillis));
    copying.decrementAndGet();
    return page;
  }

  @Override
  public byte[] scan(byte[] page) {
    return page;
  }

  @Override
  public Flow.Publisher<String> pages(String text, int pages) {
    return Streams.of(IntStream.range(0, pages).mapToObj(page -> page + text));
  }

  @Override
  public long count(Flow.Publisher<String> pages) {
    long characters = 0;
    try (StreamIterator<String> each = Streams.iterate(pages)) {
      while (each.hasNext()) {
        characters += each.next().length();
      }
    }
    return characters;
  }

  @Override
  public void note(String page) throws Missing {
    throw new Missing(page);
  }

  @Override
  public void shelve(List<String> pages) {
    shelved.add(pages);
  }

  @Override
  public String glance(String page) {
    return page;
  }
}
