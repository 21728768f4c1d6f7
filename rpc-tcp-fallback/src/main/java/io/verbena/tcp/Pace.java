package io.verbena.tcp;

import java.util.ArrayDeque;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * How many bulk bytes are on their way at a time: as many as keep the line busy, and few enough
 * that what comes behind them, such as a small call, waits for some {@link #QUEUE_NANOS} at most.
 * Told by receipts: where these come later than they would without a queue on the way, there is
 * one, in whatever buffers the ends and the network have. A line on which a chunk takes no time to
 * speak of needs no more than that one to show how fast it is.
 *
 * <pre>
 *   later by           then
 *   up to QUEUE / 2    as many bytes more as have arrived: twice as many, each round trip
 *   up to QUEUE        an eighth of that
 *   more               as many fewer, once each round trip, as leave three quarters of QUEUE
 * </pre>
 *
 * Now and then the queue is let drain, to learn how early receipts can come.
 */
final class Pace {
  /** What a small frame may wait for bulk bytes, about. */
  static final long QUEUE_NANOS = 40_000_000;

  /** At 1 Mbit/s it takes 32 ms; less would be headers more than bytes. */
  static final int LEAST_CHUNK = 4 << 10;

  /** Enough that a system call, a wake-up and a header are little beside it. */
  static final int MOST_CHUNK = 1 << 20;

  /** One chunk alone shall not look like a queue. */
  static final int CHUNKS = 8;

  private static final long FIRST_WINDOW = 4 * LEAST_CHUNK;
  private static final long LEAST_WINDOW = 2 * LEAST_CHUNK;

  /** 5 Gbit/s over 100 ms. */
  private static final long MOST_WINDOW = 64L << 20;

  /** The way may have become longer meanwhile. */
  private static final long DRAIN_EVERY_NANOS = 30_000_000_000L;

  private final LongSupplier clock;
  private final ArrayDeque<Asked> asked = new ArrayDeque<>();
  private long window = FIRST_WINDOW;
  private long sent;
  private long arrived;
  private long askedFor;
  private long shortest = Long.MAX_VALUE;
  private long shortestSince;

  /** What was sent by when the window was made smaller: what arrived before says nothing new. */
  private long smallerFrom;

  /** A receipt that will come when so many bytes have arrived, the last of them in one chunk. */
  private record Asked(long bytes, int chunk, long sinceNanos) {}

  Pace(LongSupplier clock) {
    this.clock = clock;
    this.shortestSince = clock.getAsLong();
  }

  /** Returns how many bytes one chunk should have: a power of two. */
  int chunkBytes() {
    long part = Math.clamp(window / CHUNKS, LEAST_CHUNK, MOST_CHUNK);
    return (int) Long.highestOneBit(part);
  }

  /** Returns whether so many bytes may be sent now. Where not, a receipt is awaited. */
  boolean hasRoom(int bytes) {
    return asked.isEmpty() || sent - arrived + bytes <= window;
  }

  /** Returns whether a receipt is to be asked for with the next so many bytes. */
  boolean asks(int bytes) {
    return asked.isEmpty() || sent + bytes - askedFor >= window / CHUNKS;
  }

  /** So many bytes are sent. */
  void sent(int bytes, boolean asking) {
    sent += bytes;
    if (asking) {
      askedFor = sent;
      asked.add(new Asked(sent, bytes, clock.getAsLong()));
    }
  }

  /** Returns whether anything was sent that a receipt may be for. */
  boolean expectsReceipts() {
    return sent > 0;
  }

  /** Takes a receipt for so many bytes in all; returns what is wrong with it, or null. */
  @Nullable String receipt(long bytes) {
    if (bytes <= arrived || bytes > sent) {
      return "the peer says that %d bulk bytes have arrived, of %d; %d it has said before"
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
    } else if (before >= window / 2) { // else there was not enough to send to learn from
      window = Math.min(MOST_WINDOW, window + (late <= QUEUE_NANOS / 2 ? fresh : fresh / CHUNKS));
    }
  }

  private void shrink(long to) {
    window = Math.max(LEAST_WINDOW, to);
    smallerFrom = sent;
  }
}
