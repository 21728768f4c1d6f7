package io.verbena.core.transfer;

import io.verbena.core.bulk.Crc;
import io.verbena.core.bulk.OpenSource;
import io.verbena.core.session.SessionImpl;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads, and sums, a beginning that the peer says it has. One at a time of a session's and a slice
 * at a time, so that however many it claims to have, one thread reads for it, and others have their
 * turns. On the loop.
 */
final class Reread {
  private static final long SLICE = 16L << 20;
  private static final long READ_AT_ONCE = 256 << 10;

  private final ArrayDeque<Reread> queue;
  private final SessionImpl session;
  private final OpenSource source;
  private final long upTo;
  private final Consumer<@Nullable Throwable> then;
  private final Crc crc = new Crc();
  private long at;
  private boolean stopped;

  /**
   * Begins in its turn.
   *
   * @param queue of the session; the first one is being read
   * @param then hears that it was read or stopped, or what went wrong
   */
  Reread(
      SessionImpl session,
      ArrayDeque<Reread> queue,
      OpenSource source,
      long upTo,
      Consumer<@Nullable Throwable> then) {
    this.session = session;
    this.queue = queue;
    this.source = source;
    this.upTo = upTo;
    this.then = then;
  }

  void begin() {
    queue.add(this);
    if (queue.peek() == this) {
      readOn();
    }
  }

  Crc crc() {
    return crc;
  }

  /** Nobody wants to know any more; it is over once nothing is read. */
  void stop() {
    stopped = true;
    if (queue.peek() != this && queue.remove(this)) {
      then.accept(null);
    }
  }

  private void readOn() {
    if (stopped || at == upTo) {
      over(null);
    } else {
      source.readBy().run(session, this::readSlice, this::sliceRead);
    }
  }

  private void readSlice() throws Exception {
    long end = Math.min(upTo, at + SLICE);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment buffer = arena.allocate(Math.min(READ_AT_ONCE, end - at));
      while (at < end) {
        MemorySegment piece = buffer.asSlice(0, Math.min(buffer.byteSize(), end - at));
        source.read(at, piece);
        crc.update(piece);
        at += piece.byteSize();
      }
    }
  }

  private void sliceRead(@Nullable Throwable failure) {
    if (failure == null) {
      readOn();
    } else {
      over(failure);
    }
  }

  private void over(@Nullable Throwable failure) {
    queue.remove();
    Reread next = queue.peek();
    then.accept(failure);
    if (next != null) {
      next.readOn();
    }
  }
}
