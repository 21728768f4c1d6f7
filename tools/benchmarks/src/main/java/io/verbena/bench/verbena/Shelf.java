package io.verbena.bench.verbena;

import io.verbena.api.bulk.ObjectRef;
import io.verbena.api.bulk.Published;
import io.verbena.api.bulk.Source;
import io.verbena.bench.load.Messages;
import io.verbena.bench.load.Scratch;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;

/** The objects of a host that clients fetch. Safe for use by any thread. */
final class Shelf implements AutoCloseable {
  private record Key(int size, boolean inFile) {}

  private final Function<Source, Published> publisher;
  private final Map<Key, Published> published = new HashMap<>();
  private final Map<Key, Path> files = new HashMap<>();
  private final Arena arena = Arena.ofShared();

  Shelf(Function<Source, Published> publisher) {
    this.publisher = publisher;
  }

  synchronized ObjectRef object(int size, boolean inFile) {
    return published.computeIfAbsent(new Key(size, inFile), this::publish).ref();
  }

  private Published publish(Key key) {
    byte[] content = Messages.of(key.size);
    try {
      if (key.inFile) {
        Path file = Files.write(Scratch.file(), content);
        files.put(key, file);
        return publisher.apply(Source.file(file));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    MemorySegment memory = arena.allocate(key.size, Long.BYTES);
    memory.copyFrom(MemorySegment.ofArray(content));
    return publisher.apply(Source.of(memory));
  }

  @Override
  public synchronized void close() {
    published.values().forEach(Published::close);
    try {
      for (Path file : files.values()) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
