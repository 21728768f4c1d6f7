package io.verbena.compression;

import io.verbena.api.StreamIterator;
import io.verbena.api.Streams;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.IntStream;

/** Hands back what it is given. */
final class PlainLibrary implements Library {
  final BlockingQueue<List<String>> shelved = new LinkedBlockingQueue<>();

  @Override
  public String copy(String page) {
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
