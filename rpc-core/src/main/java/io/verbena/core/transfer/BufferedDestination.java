package io.verbena.core.transfer;

import io.verbena.api.bulk.Checksum;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.Received;
import io.verbena.core.bulk.BulkMemory;
import io.verbena.core.bulk.BulkMemory.Block;
import io.verbena.core.bulk.Crc;
import io.verbena.core.bulk.RunOn;
import io.verbena.core.bulk.TransferProblem;
import io.verbena.core.session.SessionImpl;
import io.verbena.link.MemoryLife;
import io.verbena.link.memory.Memory;
import io.verbena.link.memory.Quota;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A file or a consumer, filled through a few pooled blocks. A block is granted again only when its
 * bytes have been stored, so a slow destination slows the sender down. Blocks that fit the
 * session's own part of the memory are claimed at once, because no other session could have that
 * part. Beyond it, one short block is used until it has been filled once, so an object that is
 * announced and never arrives takes little memory.
 *
 * <p>On the loop. The store methods run elsewhere, one at a time, and the loop does not touch their
 * state meanwhile.
 */
abstract class BufferedDestination extends Destination {
  private static final int MOST_BLOCKS = 4;

  /** Size of the first block when the session's own part is used up. */
  private static final long SHORT_BYTES = 64 << 10;

  final SessionImpl session;

  /** The thread that stores the bytes. */
  private final RunOn by;

  private final BulkMemory memory;
  private final Quota.Share share;
  private final List<Block> claimed = new ArrayList<>();
  private final ArrayDeque<Block> free = new ArrayDeque<>();
  private final Map<LandingPiece, Block> blockOf = new HashMap<>();
  private final ArrayDeque<LandingPiece> full = new ArrayDeque<>();
  private final Crc crc = new Crc();

  /** Longer blocks in place of the first one, until one of them has been stored. */
  private List<Block> grown = List.of();

  private boolean mayGrow;
  private long length;
  private long beginning;
  private boolean checked;
  private boolean working;
  private boolean givenUp;

  BufferedDestination(SessionImpl session, RunOn by) {
    this.session = session;
    this.by = by;
    this.memory = session.context().bulk().memory();
    this.share = session.memory().share(Memory.BULK);
  }

  // ---- storing the bytes in order: one thread at a time; may block ----

  /**
   * Prepares for an object of this length.
   *
   * @param sum adds up the bytes of an earlier transfer; null: such bytes are neither wanted nor
   *     kept
   * @return how many bytes of an object of this length an earlier transfer stored here
   */
  long open(long total, @Nullable Crc sum) throws Exception {
    return 0;
  }

  /** Discards the bytes of an earlier transfer, which belong to another object. */
  void openAgain() throws Exception {}

  abstract void store(MemorySegment bytes, long offset) throws Exception;

  /** Completes the destination. All bytes have been stored. */
  void finish() throws Exception {}

  /** Returns whether a {@link #discard(boolean)} that is left out would leave something behind. */
  boolean isOpen() {
    return false;
  }

  /**
   * Ends without the rest of the object.
   *
   * @param keep whether another transfer may use the stored bytes
   */
  void discard(boolean keep) {}

  // ---- the blocks ----

  private List<Block> claimFirst() throws TransferProblem {
    long size = Math.clamp(length, 1, BulkMemory.CHUNK_BYTES);
    int own = (int) Math.min(most(length, size), share.unused() / size);
    mayGrow = false;
    List<Block> blocks = own > 0 ? claim(own, size) : null;
    if (blocks == null) {
      size = Math.min(size, SHORT_BYTES);
      mayGrow = length > size;
      blocks = claim(1, size);
    }
    if (blocks == null) {
      throw memory.noRoom(size, share);
    }
    return blocks;
  }

  private static int most(long bytes, long size) {
    return (int) Math.min(MOST_BLOCKS, (bytes + size - 1) / size);
  }

  private @Nullable List<Block> claim(int count, long size) {
    if (!share.take(count * size)) {
      return null;
    }
    List<Block> blocks = memory.claim(count, size);
    if (blocks == null) {
      share.give(count * size);
    } else {
      claimed.addAll(blocks);
    }
    return blocks;
  }

  /**
   * Claims longer blocks in place of the first one, if it can. The first block has been filled and
   * stored.
   */
  private void grow(long left) {
    if (!mayGrow || left <= SHORT_BYTES) {
      return;
    }
    long size = Math.min(left, BulkMemory.CHUNK_BYTES);
    List<Block> longer = claim(most(left, size), size);
    if (longer == null) {
      longer = claim(1, size);
    }
    if (longer != null) {
      mayGrow = false;
      grown = longer;
    }
  }

  private void release(Block block) {
    if (claimed.remove(block)) {
      block.release();
      share.give(block.memory().byteSize());
    }
  }

  private void releaseAll() {
    List.copyOf(claimed).forEach(this::release);
  }

  // ---- methods of a destination ----

  @Override
  long capacity() {
    return Long.MAX_VALUE;
  }

  @Override
  boolean isQuicklyPrepared(long most) {
    return false;
  }

  @Override
  RunOn preparedBy() {
    return isFile() ? by : RunOn.MEMORY;
  }

  @Override
  void prepare(long total, Checksum checksum) throws Exception {
    length = total;
    checked = checksum == Checksum.ALWAYS || (checksum == Checksum.FILES && isFile());
    List<Block> first = claimFirst();
    boolean begun = false;
    try {
      beginning = open(total, checked ? crc : null);
      begun = true;
    } finally {
      if (!begun) {
        releaseAll();
      }
    }
    free.addAll(first);
  }

  private boolean isFile() {
    return by.isFiles();
  }

  @Override
  @Nullable Beginning beginning() {
    return checked && isFile() ? new Beginning(beginning, crc.value()) : null;
  }

  @Override
  void beginAgain(Consumer<@Nullable Throwable> then) {
    work(
        by,
        () -> {
          crc.reset();
          openAgain();
        },
        then);
  }

  private void work(RunOn where, RunOn.Work work, Consumer<@Nullable Throwable> then) {
    working = true;
    where.run(
        session,
        work,
        failure -> {
          working = false;
          then.accept(failure);
        });
  }

  @Override
  @Nullable LandingPiece next(long offset, long most) {
    Block block = free.poll();
    if (block == null) {
      return null;
    }
    long size = Math.min(Math.min(block.memory().byteSize(), most), length - offset);
    LandingPiece piece = new LandingPiece(offset, block.memory().asSlice(0, size), MemoryLife.HELD);
    blockOf.put(piece, block);
    return piece;
  }

  @Override
  void takeBack(LandingPiece last) {
    Block block = blockOf.remove(last);
    if (block != null) {
      free.add(block);
    }
  }

  @Override
  void filled(LandingPiece piece) {
    full.add(piece);
    storeNext();
  }

  private void storeNext() {
    LandingPiece piece = full.peek();
    if (working || givenUp || piece == null) {
      return;
    }
    work(
        by,
        () -> {
          if (checked) {
            crc.update(piece.memory());
          }
          store(piece.memory().asReadOnly(), piece.offset);
          grow(length - piece.end());
        },
        failure -> {
          full.remove();
          takeBack(piece);
          replaceFirst();
          if (failure != null) {
            broken(failure);
          } else {
            letOwnerProceed();
          }
          storeNext();
        });
  }

  /** Replaces the first block by longer ones. Enough bytes have arrived to make that worthwhile. */
  private void replaceFirst() {
    if (!grown.isEmpty()) {
      free.forEach(this::release);
      free.clear();
      free.addAll(grown);
      grown = List.of();
    }
  }

  @Override
  void giveUp() {
    givenUp = true;
  }

  @Override
  boolean isIdle() {
    return !working && (full.isEmpty() || givenUp);
  }

  @Override
  void finish(long total, @Nullable Integer expected, Consumer<@Nullable Throwable> then) {
    work(
        by,
        () -> {
          if (expected != null) {
            MemoryDestination.requireSame(expected, crc.value());
          }
          finish();
        },
        failure -> {
          if (failure == null) {
            releaseAll();
          }
          then.accept(failure);
        });
  }

  @Override
  Received received(long total) {
    return Arrived.elsewhere(total);
  }

  @Override
  void discard(boolean keep, Runnable then) {
    releaseAll();
    if (isOpen()) {
      by.runSurely(session, () -> discard(keep), failure -> then.run());
    } else {
      session.loop().execute(then::run); // later, as in the other case
    }
  }

  @Override
  boolean isUsers() {
    return true;
  }

  static final class OfConsumer extends BufferedDestination {
    private final Landing.ChunkConsumer consumer;

    OfConsumer(SessionImpl session, Landing.ChunkConsumer consumer) {
      super(session, RunOn.USER);
      this.consumer = consumer;
    }

    @Override
    void store(MemorySegment bytes, long offset) throws Exception {
      consumer.accept(bytes, offset);
    }
  }
}
