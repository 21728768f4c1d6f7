package io.verbena.bench.verbena;

import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.Source;
import io.verbena.bench.load.Kind;
import io.verbena.bench.load.Load;
import io.verbena.bench.load.Memory;
import io.verbena.bench.load.Scratch;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The memory or file of one of the client's objects. Holds one object at a time. */
final class Spot implements AutoCloseable {
  private final Arena arena = Arena.ofShared();
  private final @Nullable MemorySegment memory;
  private final @Nullable Path file;
  private final byte[] content;

  /**
   * Makes a spot for a load. It contains an object if the load sends objects.
   *
   * @param content the object, which is only read
   */
  Spot(Load load, byte[] content) {
    this.content = content;
    boolean sends = load.kind() == Kind.PUT;
    boolean inFile = load.memory() == Memory.FILES || (sends && load.memory() == Memory.FILE);
    memory = inFile ? null : arena.allocate(load.size(), Long.BYTES);
    file = inFile ? newFile(sends ? content : new byte[0]) : null;
    if (sends) {
      copy();
    }
  }

  /** Copies an object into the memory. */
  void copy() {
    if (memory != null) {
      memory.copyFrom(MemorySegment.ofArray(content));
    }
  }

  /** Clears the memory, which may contain the object from an earlier transfer. */
  void clear() {
    if (memory != null) {
      memory.fill((byte) 0);
    }
  }

  private static Path newFile(byte[] content) {
    try {
      return Files.write(Scratch.file(), content);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  Landing landing() {
    return memory != null
        ? Landing.of(memory)
        : Landing.file(path()).withoutSync(); // like the rivals
  }

  Source source() {
    try {
      return memory != null ? Source.of(memory) : Source.file(path());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Path path() {
    if (file == null) {
      throw new IllegalStateException("there is neither memory nor a file");
    }
    return file;
  }

  /** Returns the first difference of the content from the object; -1 for none. */
  long mismatch() {
    MemorySegment expected = MemorySegment.ofArray(content);
    try {
      return memory != null
          ? expected.mismatch(memory)
          : expected.mismatch(MemorySegment.ofArray(Files.readAllBytes(path())));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    arena.close();
    if (file != null) {
      try {
        Files.deleteIfExists(file);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
