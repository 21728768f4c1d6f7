package io.verbena.api.bulk;

import java.lang.foreign.MemorySegment;

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
   * read behind the handler's back, until the caller has all of it or the call has failed, and the
   * handler is not told when that is: give memory that does not change and is reachable as long as
   * anybody reads it, as of {@code Arena.ofAuto()}, or a file.
   */
  static Received from(Source source) {
    return new Answer(source);
  }

  /**
   * A handler's answer, on its way to the caller's landing.
   *
   * @param source what is sent
   */
  record Answer(Source source) implements Received {
    @Override
    public long length() {
      return source.length();
    }

    @Override
    public MemorySegment memory() {
      throw new IllegalStateException("an answer is sent, not received");
    }

    @Override
    public void close() {}
  }
}
