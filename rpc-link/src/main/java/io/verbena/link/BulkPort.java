package io.verbena.link;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The part of a link that moves bulk bytes. It writes them from memory of one end into memory that
 * the other end has opened for them, without a copy if the link can do that. It belongs to one
 * link, and its methods are called on that link's event loop.
 *
 * <pre>
 *   receiver                                    sender
 *   attach(memory) → region
 *   open(region, range) → target
 *   target.advertisement() ──a frame of the core's──→ remote(advertisement)
 *                                               attach(memory) → region
 *   listener.onArrived(upTo) ←──bulk bytes──    write(remote, at, region, …) → SENT … onWritten
 *   target.close(whenFenced)                    region.release()
 * </pre>
 *
 * <p>Bulk bytes and frames arrive in the order in which the link accepted them. A target is written
 * from its beginning to its end, without gaps.
 *
 * <p>When the link has called {@link LinkListener#onClosed}, every target is fenced, or lost if its
 * device cannot be stopped. No source is read any more, and writes that had not completed never do.
 * The owner must still release regions and close targets.
 */
public interface BulkPort {
  /** The shortest piece to try if memory cannot be opened as a whole. */
  long LEAST_PIECE_BYTES = 1L << 20;

  /**
   * Returns the recommended length of one write at present, in bytes, a power of two. It is long
   * enough to be efficient, and short enough that a small frame after it does not wait for long.
   */
  int chunkBytes();

  /**
   * Returns the recommended number of bytes in writes that have not completed. It suffices to keep
   * the link busy. It is no larger, because a small frame waits for about as many bytes.
   */
  long windowBytes();

  /**
   * Returns the cost of pinning memory on this link, when it is known. The first call may start a
   * measurement in the background. The stage never fails, and completes on any thread.
   */
  default CompletionStage<PinningCost> pinning() {
    return CompletableFuture.completedStage(PinningCost.NONE);
  }

  /**
   * Returns whether targets may also be on the heap. That is so if no device writes to them and
   * bytes are copied on arrival in any case. Sources may not be on the heap.
   */
  default boolean landsOnHeap() {
    return false;
  }

  /**
   * Prepares memory for writes from it or into it, and pins it if the link needs that.
   *
   * @param memory native memory of any length; for targets also heap memory if {@link #landsOnHeap}
   * @param life whether it may stay pinned after its release
   * @throws LinkException if it cannot be pinned; the message gives the reason and the remedy
   */
  BulkRegion attach(MemorySegment memory, MemoryLife life) throws LinkException;

  /**
   * Opens a range of a region for the peer, for one part. Only the peer of this link can write to
   * it, and to no other part of the region.
   *
   * @param length at least 1
   * @throws LinkException if it cannot be opened; the message gives the reason and the remedy
   */
  BulkTarget open(BulkRegion region, long offset, long length, BulkTarget.Listener listener)
      throws LinkException;

  /**
   * Reads a peer's advertisement.
   *
   * @param advertisement comes from the peer and must not be trusted
   * @throws LinkException if it is invalid
   */
  RemoteTarget remote(ByteBuffer advertisement) throws LinkException;

  /**
   * Writes a piece of a region into the peer's target. After {@link SendResult#SENT} the link may
   * read the piece until it runs {@code whenWritten}. On any other result nothing was done.
   *
   * <p>Bytes for a target that the peer has closed meanwhile are lost, without harm.
   *
   * @param at offset within the target, at the end of the last write to it
   * @param length at least 1
   * @param checkpoint whether the peer's listener must be called for this piece and all before it
   * @param whenWritten runs when the piece's memory is no longer read, always after this method has
   *     returned
   * @throws IllegalArgumentException if the piece does not fit there, which is a mistake of the
   *     core
   */
  SendResult write(
      RemoteTarget target,
      long at,
      BulkRegion source,
      long offset,
      int length,
      boolean checkpoint,
      Runnable whenWritten);

  // ---- memory that the peer reaches by itself ----

  /**
   * Returns whether memory can be exposed to the peer. The peer then reads and writes it by its own
   * requests, without this end's loop. The result never changes.
   */
  default boolean isOneSided() {
    return false;
  }

  /**
   * Exposes native memory to the peer of this link alone. It is pinned once, until the target is
   * fenced.
   *
   * @param memory at least 1 byte
   * @return the target, for the caller to close. Ask the peer first to leave the memory alone
   * @throws LinkException if it cannot be exposed; the message gives the reason
   */
  default BulkTarget expose(MemorySegment memory, boolean reads, boolean writes)
      throws LinkException {
    throw new UnsupportedOperationException("this link exposes nothing");
  }

  /**
   * Reads or writes memory that the peer has exposed, at any offset. Accesses have no order, except
   * by {@code behind}. After {@link SendResult#SENT} one of the two callbacks runs, always after
   * this method has returned. On any other result nothing was done, for instance if the peer has
   * asked to leave the memory alone.
   *
   * @param reads true to read the peer's memory, false to write it
   * @param behind whether to begin only after all earlier reads of this link have completed
   * @param at offset in the peer's memory
   * @param length at least 1
   * @param whenDone runs when the access is complete
   * @param whenFree runs if the link has ended before the outcome was known, when its device no
   *     longer touches the memory. It never runs if the device cannot be stopped
   * @throws IllegalArgumentException if the peer's memory has no such range, which is a mistake of
   *     the core
   */
  default SendResult access(
      RemoteTarget target,
      boolean reads,
      boolean behind,
      long at,
      BulkRegion memory,
      long offset,
      int length,
      Runnable whenDone,
      Runnable whenFree) {
    throw new UnsupportedOperationException("this link reaches nothing");
  }

  /**
   * Returns whether {@link #writeFile} may be used with a file, so that the link moves its bytes
   * without a copy into this process.
   */
  default boolean writesFrom(FileChannel file) {
    return false;
  }

  /**
   * Writes a piece of a file into the peer's target, as {@link #write} does. If the file turns out
   * to be shorter, the link ends.
   */
  default SendResult writeFile(
      RemoteTarget target,
      long at,
      FileChannel source,
      long position,
      int length,
      boolean checkpoint,
      Runnable whenWritten) {
    throw new UnsupportedOperationException("this link writes no files");
  }
}
