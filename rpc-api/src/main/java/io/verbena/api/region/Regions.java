package io.verbena.api.region;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The regions of one session: memory that this end exposes to the peer, and what is done with
 * memory that the peer exposes. Safe for any thread; nothing here blocks.
 *
 * <pre>{@code
 * // The owner, in a handler:
 * Regions regions = CallContext.current().session().regions();
 * ExposedRegion table = regions.expose(memory, READ | ATOMIC, Duration.ofMinutes(5));
 * return table.ref();
 *
 * // The caller:
 * RegionRef table = tables.open();
 * session.regions().get(table, 64, into).get();
 * long before = session.regions().getAndAdd(table, 0, 1).get();
 * }</pre>
 *
 * <p>What fails does so by an {@link io.verbena.api.RpcException}, whose {@link
 * io.verbena.api.RpcException#execution() execution} says what is certain. It survives the loss of
 * a connection, and is done once at most, as calls are. As async calls do, each has the session's
 * time unless another is {@linkplain #withTimeout set}, and fails with RESOURCE_EXHAUSTED where too
 * many are under way. A region that has ended, or is not this session's, is UNAVAILABLE,
 * NOT_EXECUTED.
 *
 * <p><b>Order.</b> None between those that are under way at a time: wait for one before the next
 * where that matters.
 *
 * <p><b>Torn reads.</b> An aligned {@code long} is read and written whole. Anything longer is not:
 * while somebody writes there, a {@code get} may see some bytes of before and some of after.
 *
 * <p><b>Atomics</b> work on an aligned {@code long} in the byte order of the owner's machine. They
 * are atomic to one another, through whichever session and by whichever link they come, and to the
 * owner's own by {@code ValueLayout.JAVA_LONG.varHandle()}.
 */
public interface Regions {
  /** The peer may read. */
  int READ = 1;

  /** The peer may write. */
  int WRITE = 1 << 1;

  /** The peer may compare and set, and add. */
  int ATOMIC = 1 << 2;

  /** The most bytes that may be read or written at a time, all pieces together: 1 MiB. */
  int MOST_BYTES = 1 << 20;

  /** The most pieces that may be read or written at a time. */
  int MOST_PIECES = 1024;

  /**
   * Lets the peer of this session reach memory, and nobody else. The same memory may be exposed to
   * several sessions.
   *
   * @param memory outside the heap; with {@link #ATOMIC}, at an address that 8 divides. It stays
   *     the caller's, who frees it when the region has {@linkplain ExposedRegion#ended ended}
   * @param access some of {@link #READ}, {@link #WRITE}, {@link #ATOMIC}
   * @param lease how long, from now on
   * @throws IllegalArgumentException if it cannot be exposed so
   * @throws IllegalStateException if the session has ended
   */
  ExposedRegion expose(MemorySegment memory, int access, Duration lease);

  /** Returns the same regions, with this time for each get, put and atomic. */
  Regions withTimeout(Duration timeout);

  /**
   * Reads a range into memory. Where the result fails, or is cancelled, it does so when nothing is
   * written into that memory any more; some of it may have been.
   *
   * @throws IllegalArgumentException if the region has no such range, or may not be read
   */
  default CompletableFuture<Void> get(RegionRef ref, long offset, MemorySegment into) {
    return get(ref, List.of(new RegionPiece(offset, into)));
  }

  /**
   * Reads several ranges, one after the other, by one request.
   *
   * @throws IllegalArgumentException if the region has no such ranges, may not be read, or they are
   *     more than {@link #MOST_PIECES} or {@link #MOST_BYTES}
   */
  CompletableFuture<Void> get(RegionRef ref, List<RegionPiece> pieces);

  /**
   * Reads a range as it was at one time, by a version of it that is changed as {@link
   * RegionView#change} does: again while somebody writes, after pauses that grow from 20 &micro;s
   * to 10 ms, until the time is over, and then fails with DEADLINE_EXCEEDED.
   *
   * @param version where the {@code long} is that is odd while somebody writes; divided by 8
   * @throws IllegalArgumentException as for {@link #get(RegionRef, List)}
   */
  CompletableFuture<Void> getVersioned(
      RegionRef ref, long version, long offset, MemorySegment into);

  /**
   * Writes memory to a range. The memory is copied before this returns.
   *
   * @throws IllegalArgumentException if the region has no such range, or may not be written
   */
  default CompletableFuture<Void> put(RegionRef ref, long offset, MemorySegment from) {
    return put(ref, List.of(new RegionPiece(offset, from)));
  }

  /**
   * Writes several ranges, one after the other, by one request. The memory is copied before this
   * returns.
   *
   * @throws IllegalArgumentException if the region has no such ranges, may not be written, or they
   *     are more than {@link #MOST_PIECES} or {@link #MOST_BYTES}
   */
  CompletableFuture<Void> put(RegionRef ref, List<RegionPiece> pieces);

  /**
   * Sets a {@code long} if it is as expected.
   *
   * @param offset divided by 8
   * @return what it was before: as expected, if it was set
   * @throws IllegalArgumentException if there is none, or the region takes no atomics
   */
  CompletableFuture<Long> compareAndExchange(RegionRef ref, long offset, long expected, long value);

  /**
   * Sets a {@code long} if it is as expected.
   *
   * @param offset divided by 8
   * @return whether it was
   * @throws IllegalArgumentException if there is none, or the region takes no atomics
   */
  CompletableFuture<Boolean> compareAndSet(RegionRef ref, long offset, long expected, long value);

  /**
   * Adds to a {@code long}.
   *
   * @param offset divided by 8
   * @return what it was before
   * @throws IllegalArgumentException if there is none, or the region takes no atomics
   */
  CompletableFuture<Long> getAndAdd(RegionRef ref, long offset, long delta);
}
