package io.verbena.api.region;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The regions of one session. This end exposes its own memory to the peer, and reads and writes
 * memory that the peer exposes. Safe for use by any thread. No method blocks.
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
 * <p>A request that fails does so with an {@link io.verbena.api.RpcException}. Its {@link
 * io.verbena.api.RpcException#execution() execution} says whether the request was executed. As a
 * call does, a request survives the loss of a connection and is executed at most once. As an async
 * call, it has the session's timeout unless another is {@linkplain #withTimeout set}, and fails
 * with RESOURCE_EXHAUSTED if too many are in progress. A request to a region that has ended, or
 * that belongs to another session, fails with UNAVAILABLE, NOT_EXECUTED.
 *
 * <p><b>Order.</b> Requests that are in progress at the same time have no order. If the order
 * matters, wait for one before the next.
 *
 * <p><b>Torn reads.</b> An aligned {@code long} is read and written as a whole. A longer range is
 * not: during a write, a {@code get} may return some old and some new bytes.
 *
 * <p><b>Atomics</b> work on an aligned {@code long} in the byte order of the owner's machine. They
 * are atomic with respect to one another, over all sessions and links, and to the owner's own
 * atomics by {@code ValueLayout.JAVA_LONG.varHandle()}.
 */
public interface Regions {
  /** The peer may read. */
  int READ = 1;

  /** The peer may write. */
  int WRITE = 1 << 1;

  /** The peer may compare and set, and add. */
  int ATOMIC = 1 << 2;

  /** The largest number of bytes in one read or write, all pieces together: 1 MiB. */
  int MOST_BYTES = 1 << 20;

  /** The largest number of pieces in one read or write. */
  int MOST_PIECES = 1024;

  /**
   * Exposes memory to the peer of this session alone. The same memory may be exposed to several
   * sessions.
   *
   * @param memory outside the heap. With {@link #ATOMIC} its address must be a multiple of 8, and a
   *     mapped file must have all of its disk blocks: on a full disk, an atomic operation on a
   *     missing one ends the process. The memory stays the caller's. Free it when the region has
   *     {@linkplain ExposedRegion#ended ended}
   * @param access any of {@link #READ}, {@link #WRITE} and {@link #ATOMIC}
   * @param lease the time from now after which the region ends
   * @throws IllegalArgumentException if this memory cannot be exposed with this access
   * @throws IllegalStateException if the session has ended
   */
  ExposedRegion expose(MemorySegment memory, int access, Duration lease);

  /** Returns the same regions, with this timeout for each get, put and atomic. */
  Regions withTimeout(Duration timeout);

  /**
   * Reads a range into memory. The future completes when nothing writes into that memory any more,
   * even if the request fails or is cancelled. After a failure the memory may be partly
   * overwritten.
   *
   * @throws IllegalArgumentException if the region has no such range, or may not be read
   */
  default CompletableFuture<Void> get(RegionRef ref, long offset, MemorySegment into) {
    return get(ref, List.of(new RegionPiece(offset, into)));
  }

  /**
   * Reads several ranges, one after the other, by one request. The future completes as that of
   * {@link #get(RegionRef, long, MemorySegment)}.
   *
   * @throws IllegalArgumentException if the region has no such ranges, may not be read, or the
   *     pieces are more than {@link #MOST_PIECES} or {@link #MOST_BYTES}
   */
  CompletableFuture<Void> get(RegionRef ref, List<RegionPiece> pieces);

  /**
   * Reads a single state of a range whose owner changes it as {@link RegionView#change} does. While
   * the owner writes, the range is read again, after pauses that grow from 20 &micro;s to 10 ms.
   * When the timeout is over, the request fails with DEADLINE_EXCEEDED.
   *
   * @param version the position of the version in bytes, a multiple of 8. It is a {@code long} that
   *     is odd while the owner writes
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
   * @throws IllegalArgumentException if the region has no such ranges, may not be written, or the
   *     pieces are more than {@link #MOST_PIECES} or {@link #MOST_BYTES}
   */
  CompletableFuture<Void> put(RegionRef ref, List<RegionPiece> pieces);

  /**
   * Sets a {@code long} if it has the expected value.
   *
   * @param offset in bytes, a multiple of 8
   * @return the value before. It equals the expected value if the {@code long} was set
   * @throws IllegalArgumentException if the region has no such {@code long}, or allows no atomics
   */
  CompletableFuture<Long> compareAndExchange(RegionRef ref, long offset, long expected, long value);

  /**
   * Sets a {@code long} if it has the expected value.
   *
   * @param offset in bytes, a multiple of 8
   * @return true if it was set
   * @throws IllegalArgumentException if the region has no such {@code long}, or allows no atomics
   */
  CompletableFuture<Boolean> compareAndSet(RegionRef ref, long offset, long expected, long value);

  /**
   * Adds to a {@code long}.
   *
   * @param offset in bytes, a multiple of 8
   * @return the value before
   * @throws IllegalArgumentException if the region has no such {@code long}, or allows no atomics
   */
  CompletableFuture<Long> getAndAdd(RegionRef ref, long offset, long delta);
}
