package io.verbena.tcp;

import java.util.ArrayDeque;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The window of bulk bytes. It keeps the line busy, and is small enough that later frames, such as
 * those of a small call, wait about {@link #QUEUE_NANOS} at most. Receipts show the delay. If a
 * receipt comes later than it would on an empty line, bytes queue in buffers of the ends or the
 * network. On a fast line, on which one chunk takes almost no time, that chunk alone shows the
 * speed.
 *
 * <pre>
 *   later by           then
 *   up to QUEUE / 2    larger by the bytes that arrived: it doubles each round trip
 *   up to QUEUE        larger by an eighth of them
 *   more               smaller, once each round trip, to leave three quarters of QUEUE
 * </pre>
 *
 * From time to time the queue is left to drain, to measure the shortest delay again.
 */
final class Pace {
  /** About the longest time that a small frame may wait for bulk bytes. */
  static final long QUEUE_NANOS = 40_000_000;

  /** It takes 32 ms at 1 Mbit/s. With less, the headers would outweigh the bytes. */
  static final int LEAST_CHUNK = 4 << 10;

  /** Large enough to outweigh a system call, a wake-up and a header. */
  static final int MOST_CHUNK = 1 << 20;

  /** The chunks in a window: one chunk alone must not look like a queue. */
  static final int CHUNKS = 8;

  private static final long FIRST_WINDOW = 4 * LEAST_CHUNK;
  private static final long LEAST_WINDOW = 2 * LEAST_CHUNK;

  /** 5 Gbit/s over 100 ms. */
  private static final long MOST_WINDOW = 64L << 20;

  /** The path may have become longer meanwhile. */
  private static final long DRAIN_EVERY_NANOS = 30_000_000_000L;

  private final LongSupplier clock;
  private final ArrayDeque<Asked> asked = new ArrayDeque<>();
  private long window = FIRST_WINDOW;
  private long sent;
  private long arrived;
  private long askedFor;
  private long shortest = Long.MAX_VALUE;
  private long shortestSince;

  /**
   * The bytes sent when the window was last made smaller. Receipts for earlier bytes say nothing
   * new.
   */
  private long smallerFrom;

  /** An expected receipt: for a number of bytes in all, the last of them in one chunk. */
  private record Asked(long bytes, int chunk, long sinceNanos) {}

  Pace(LongSupplier clock) {
    this.clock = clock;
    this.shortestSince = clock.getAsLong();
  }

  /** Returns the length of the next chunks, a power of two. */
  int chunkBytes() {
    long part = Math.clamp(window / CHUNKS, LEAST_CHUNK, MOST_CHUNK);
    return (int) Long.highestOneBit(part);
  }

  /** Returns whether so many bytes may be sent now. If not, a receipt is expected. */
  boolean hasRoom(int bytes) {
    return asked.isEmpty() || sent - arrived + bytes <= window;
  }

  /** Returns whether the next bytes should ask for a receipt. */
  boolean asks(int bytes) {
    return asked.isEmpty() || sent + bytes - askedFor >= window / CHUNKS;
  }

  /** Notes that bytes were sent. */
  void sent(int bytes, boolean asking) {
    sent += bytes;
    if (asking) {
      askedFor = sent;
      asked.add(new Asked(sent, bytes, clock.getAsLong()));
    }
  }

  /** Returns whether the peer may send receipts, because bytes were sent. */
  boolean expectsReceipts() {
    return sent > 0;
  }

  /**
   * Takes a receipt, with the number of all bytes that have arrived. Returns its fault, or null.
   */
  @Nullable String receipt(long bytes) {
    if (bytes <= arrived || bytes > sent) {
      return "the peer reports that %d of %d bulk bytes have arrived, after it had reported %d"
          .formatted(bytes, sent, arrived);
    }
    Asked last = null;
    for (Asked next = asked.peek(); next != null && next.bytes <= bytes; next = asked.peek()) {
      last = asked.remove();
    }
    long before = sent - arrived;
    long fresh = bytes - arrived;
    arrived = bytes;
    if (last != null) {
      adapt(clock.getAsLong(), last, before, fresh);
    }
    return null;
  }

  private void adapt(long now, Asked last, long before, long fresh) {
    long took = Math.max(1, now - last.sinceNanos);
    if (now - shortestSince >= DRAIN_EVERY_NANOS) {
      shortest = took;
      shortestSince = now;
      shrink(window / CHUNKS);
    } else if (took < shortest) {
      shortest = took;
      shortestSince = now;
    }
    long late = took - shortest;
    long atLeast = (long) ((double) last.chunk * QUEUE_NANOS / 2 / took);
    window = Math.clamp(atLeast, window, MOST_WINDOW);
    if (late > QUEUE_NANOS) {
      if (last.bytes > smallerFrom) {
        shrink((long) ((double) window * (shortest + QUEUE_NANOS * 3 / 4) / took));
      }
    } else if (before >= window / 2) { // with less under way there is nothing to learn
      window = Math.min(MOST_WINDOW, window + (late <= QUEUE_NANOS / 2 ? fresh : fresh / CHUNKS));
    }
  }

  private void shrink(long to) {
    window = Math.max(LEAST_WINDOW, to);
    smallerFrom = sent;
  }
}
