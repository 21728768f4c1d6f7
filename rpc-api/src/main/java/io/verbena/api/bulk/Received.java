package io.verbena.api.bulk;

import io.verbena.api.settings.Checks;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * An object that has arrived completely. Close it when its memory is no longer needed. Closing
 * releases pooled memory. It does nothing if the landing was the caller's memory, a file or a
 * consumer. Safe for use by any thread.
 */
public interface Received extends AutoCloseable {
  /** Returns the object's length in bytes. */
  long length();

  /**
   * Returns the object's bytes. They are valid until {@link #close}. Pooled memory is read-only,
   * and its scope ends with {@code close}: later accesses throw an {@link IllegalStateException}.
   *
   * @throws IllegalStateException if the object is not in memory, or is closed
   */
  MemorySegment memory();

  /**
   * Releases pooled memory. Closing again does nothing.
   *
   * @throws IllegalStateException if an operation of a channel or another library uses the memory:
   *     close again after that
   */
  @Override
  void close();

  /**
   * Makes the answer to a call that has a {@link Landing}. A handler returns it as the method's
   * result. The source is read after the handler has returned, until the caller has all bytes or
   * the call has failed. So use a file, or memory that stays unchanged and reachable, such as
   * memory of {@code Arena.ofAuto()}. If the memory is freed or reused by hand, use {@link
   * #from(Source, Runnable)}, or a source whose uses are {@linkplain Source#counted counted}. A
   * handler that makes an answer and then throws must {@linkplain #close close} it.
   */
  static Received from(Source source) {
    return from(source, () -> {});
  }

  /**
   * Makes an answer as {@link #from(Source)} does, and reports when the source is free.
   *
   * @param released runs once, when the source is no longer read, whether the answer arrived,
   *     failed, was cancelled, was never sent, or lost its session. It runs on an event loop or the
   *     handler's thread, and must not block. An exception that it throws is logged
   */
  static Received from(Source source, Runnable released) {
    Checks.required("released", released);
    if (source instanceof Source.Counted(Source read, Runnable retain, Runnable release)) {
      retain.run();
      return new Answer(read, () -> both(release, released));
    }
    return new Answer(source, released);
  }

  private static void both(Runnable first, Runnable second) {
    try {
      first.run();
    } finally {
      second.run();
    }
  }

  /**
   * A handler's answer, on its way to the caller's landing. It is closed when its source is no
   * longer read.
   */
  final class Answer implements Received {
    private final Source source;
    private final AtomicReference<@Nullable Runnable> released;

    private Answer(Source source, Runnable released) {
      this.source = source;
      this.released = new AtomicReference<>(released);
    }

    /** Returns the source of the bytes. */
    public Source source() {
      return source;
    }

    @Override
    public long length() {
      return source.length();
    }

    @Override
    public MemorySegment memory() {
      throw new IllegalStateException("an answer is sent, not received");
    }

    @Override
    public void close() {
      Runnable first = released.getAndSet(null);
      if (first != null) {
        first.run();
      }
    }
  }
}
