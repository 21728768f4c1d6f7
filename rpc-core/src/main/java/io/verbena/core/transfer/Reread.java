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
 * Reads a beginning that the peer claims to have, and computes its checksum. A session reads one
 * beginning at a time, slice by slice. So however many a peer claims, one thread reads for it, and
 * other sessions have their turns. On the loop.
 */
final class Reread {
  private static final long SLICE = 16L << 20;
  private static final long READ_AT_ONCE = 256 << 10;

  private final ArrayDeque<Reread> queue;
  private final SessionImpl session;
  private final OpenSource source;
  private final long upTo;
  private final Consumer<@Nullable Throwable> then;
  final Crc crc = new Crc();
  private long at;
  private boolean stopped;

  /**
   * Begins when its turn comes.
   *
   * @param queue the session's queue; the first one is being read
   * @param then runs after the end, with the failure if there was one
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

  /** Stops reading. It is over once nothing is read. */
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
