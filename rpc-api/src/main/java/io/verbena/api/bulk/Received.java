package io.verbena.api.bulk;

import io.verbena.api.settings.Checks;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * An object that has arrived, whole. Close it when its memory is of no use any more; for memory of
 * the caller's own, a file or a consumer that does nothing.
 */
public interface Received extends AutoCloseable {
  /** Returns how many bytes it has. */
  long length();

  /**
   * Returns its bytes, valid until {@link #close}.
   *
   * @throws IllegalStateException if they are not in memory, or closed
   */
  MemorySegment memory();

  /** Gives pooled memory back. Closing again does nothing. */
  @Override
  void close();

  /**
   * Answers a call that has a {@link Landing}: in a handler, as the method's result. The source is
   * read after the handler has returned, until the caller has all of it or the call has failed:
   * give a file, or memory that does not change and is reachable meanwhile, as of {@code
   * Arena.ofAuto()}. Memory that is freed or used again by hand needs {@link #from(Source,
   * Runnable)}, or a source whose uses are {@linkplain Source#counted counted}. A handler that does
   * not return what it has made, since it throws afterwards, {@linkplain #close closes} it.
   */
  static Received from(Source source) {
    return from(source, () -> {});
  }

  /**
   * Answers a call as {@link #from(Source)}, and tells when the source is free.
   *
   * @param released runs once, when the source is read no more, however the call ended: arrived,
   *     failed, cancelled, never sent, its session lost. It runs on an event loop or the handler's
   *     thread, and must not block; what it throws is logged
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

  /** A handler's answer, on its way to the caller's landing. Closed when it is read no more. */
  final class Answer implements Received {
    private final Source source;
    private final AtomicReference<@Nullable Runnable> released;

    private Answer(Source source, Runnable released) {
      this.source = source;
      this.released = new AtomicReference<>(released);
    }

    /** Returns what is sent. */
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
