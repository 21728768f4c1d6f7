package io.verbena.link;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * How a link moves bulk bytes: out of one end's memory into memory that the other end has opened
 * for exactly that, without a copy where the link can. Belongs to one link and to its event loop.
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
 * <p>Bulk bytes and frames arrive in the order in which they were given to the link. The bytes of
 * one target are written from its beginning to its end, without gaps.
 *
 * <p>When the link has told its listener {@link LinkListener#onClosed}, every target is fenced, or
 * lost where its device cannot be stopped, and no source is read any more; writes that had not
 * completed never do. Regions and targets are then still to be released and closed.
 */
public interface BulkPort {
  /**
   * Where memory cannot be opened in one piece, shorter pieces are tried, none shorter than this.
   */
  long LEAST_PIECE_BYTES = 1L << 20;

  /**
   * Returns how many bytes one write should have now: enough to be efficient, few enough that a
   * small frame behind them does not wait for long, and a power of two.
   */
  int chunkBytes();

  /**
   * Returns how many bytes should be written and not completed at a time now: enough to keep the
   * link busy. A small frame waits for about as many, so it is not more than that either.
   */
  long windowBytes();

  /**
   * Returns what pinning memory costs here, as soon as it is known: where it is measured, then in
   * the background, when this is first called. Never fails; completed on any thread.
   */
  default CompletionStage<PinningCosts> pinning() {
    return CompletableFuture.completedStage(PinningCosts.NONE);
  }

  /**
   * Returns whether targets may be on the heap, too: no device writes them, and what comes is
   * copied on its way in any case. Sources may not.
   */
  default boolean landsOnHeap() {
    return false;
  }

  /**
   * Makes memory ready to be written from or into, and pins it where the link needs that.
   *
   * @param memory native memory of any length; for targets on the heap where {@link #landsOnHeap}
   * @param life whether it may stay pinned after its release
   * @throws LinkException if it cannot be pinned; the message says why and what to do
   */
  BulkRegion attach(MemorySegment memory, MemoryLife life) throws LinkException;

  /**
   * Opens a range of a region for the peer, for one part. Nothing else of the region can be
   * written, and nobody but the peer of this link can write it.
   *
   * @param length at least 1
   * @throws LinkException if it cannot be opened; the message says why and what to do
   */
  BulkTarget open(BulkRegion region, long offset, long length, BulkTarget.Listener listener)
      throws LinkException;

  /**
   * Reads a peer's advertisement.
   *
   * @param advertisement comes from the peer, so trust nothing in it
   * @throws LinkException if it makes no sense
   */
  RemoteTarget remote(ByteBuffer advertisement) throws LinkException;

  /**
   * Writes a piece of a region into the peer's target. On {@link SendResult#SENT} the link reads
   * the piece until it says that it is written; on any other result nothing was done.
   *
   * <p>What is written into a target that the peer has closed meanwhile gets lost, and does no
   * harm.
   *
   * @param at offset within the target: where the last write to it ended
   * @param length at least 1
   * @param checkpoint whether the peer must hear of its arrival, and of all before it
   * @param whenWritten hears when the piece's memory is no longer read; later, never before this
   *     method returns
   * @throws IllegalArgumentException if the piece does not fit there: the core's mistake
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
   * Returns whether memory can be exposed to the peer, which then reads and writes it by requests
   * of its own, without this end's loop. Always the same.
   */
  default boolean isOneSided() {
    return false;
  }

  /**
   * Exposes native memory to the peer of this link, and to nobody else. It is pinned once, until
   * the target is fenced.
   *
   * @param memory at least 1 byte
   * @return to be closed; the peer is asked first to leave it alone
   * @throws LinkException if it cannot be exposed; the message says why
   */
  default BulkTarget expose(MemorySegment memory, boolean reads, boolean writes)
      throws LinkException {
    throw new UnsupportedOperationException("this link exposes nothing");
  }

  /**
   * Reads or writes memory that the peer has exposed, at any place: in no order with others but
   * those that are asked to come behind. On {@link SendResult#SENT} one of the two is run, later,
   * never before this method returns; on any other result, as where the peer wants to be left
   * alone, nothing was done.
   *
   * @param reads whether from there to here; else from here to there
   * @param behind whether it begins when what was read before by this link is here, and no sooner
   * @param at where in the peer's memory
   * @param length at least 1
   * @param whenDone it is done
   * @param whenFree the link has ended before that was known, and its device touches the memory no
   *     more; never run where it cannot be stopped
   * @throws IllegalArgumentException if the peer's memory has no such range: the core's mistake
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
   * Returns whether {@link #writeFile} may be used with a file: the link moves its bytes without
   * bringing them into this process.
   */
  default boolean writesFrom(FileChannel file) {
    return false;
  }

  /**
   * Writes a piece of a file into the peer's target, as {@link #write} does. A file that turns out
   * to be shorter ends the link.
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
