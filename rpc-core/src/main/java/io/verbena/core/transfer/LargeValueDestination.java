package io.verbena.core.transfer;

import io.verbena.api.RpcStatus;
import io.verbena.api.bulk.Checksum;
import io.verbena.api.bulk.Received;
import io.verbena.core.bulk.BulkMemory;
import io.verbena.core.bulk.BulkMemory.Block;
import io.verbena.core.bulk.BulkPath;
import io.verbena.core.bulk.LimitedWait;
import io.verbena.core.bulk.RunOn;
import io.verbena.core.bulk.TransferProblem;
import io.verbena.core.session.SessionImpl;
import io.verbena.link.MemoryLife;
import io.verbena.link.memory.Memory;
import io.verbena.link.memory.Quota;
import io.verbena.link.memory.Shortage;
import io.verbena.link.memory.Waiters;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The large values of an arriving message. They are on the heap, where a link writes them if it
 * can. Otherwise they are filled through a few pooled blocks. If the caller has an arena, segments
 * are pooled memory that is written in place. The transfer waits if there is not enough memory now.
 * Quotas count the values until they arrive. Later only pooled memory counts, because the rest
 * belongs to the application.
 *
 * <p>Values that fit the session's own part are claimed at once, because no other session could
 * have that part. Beyond it, each array grows with the arrived bytes, so an announcement takes
 * little memory. Memory is claimed elsewhere, while nothing is written into the growing value.
 * Everything else is on the loop.
 */
final class LargeValueDestination extends Destination {
  private static final int MOST_BLOCKS = 4;

  /** Long blocks are opened and announced once for several chunks. */
  private static final long LONG_BYTES = 4L * BulkMemory.CHUNK_BYTES;

  private static final int MOST_LONG_BLOCKS = 2;

  /** The size of a value before any of its bytes have arrived. */
  private static final long FIRST_BYTES = BulkMemory.CHUNK_BYTES;

  /** The factor by which a full value grows. */
  private static final int GROWTH = 4;

  private static final String CLOSE_ARENAS =
      ", close the arenas of earlier results, or raise bulkMemoryBytes";
  private static final MemorySegment NO_ARRAY = MemorySegment.ofArray(new byte[0]);

  private static final int MOST_OPEN_PIECES = 16;

  /** Two of the longest pieces, as for other memory. */
  private static final long MOST_OPEN_BYTES = 2 * BulkPath.PIECE_BYTES;

  /** The most that is copied on the loop. Longer copies use another thread. */
  private static final long COPIED_AT_ONCE = 64 << 10;

  /** The least that is copied out of a block that is still being filled. */
  private static final long COPIED_BY = BulkMemory.CHUNK_BYTES;

  private final SessionImpl session;
  private final LargeValueTable table;

  /** The quota of arriving arrays. */
  private final Quota.Share heap;

  /** The quota of segments and blocks, which are outside the heap. */
  private final Quota.Share outside;

  private final BulkMemory bulk;
  private final @Nullable Arena arena;

  /**
   * The queue of destinations whose values may grow beyond the session's guarantee, for all
   * messages of the peer. Only the first one grows. Two that each had half of their memory would
   * wait for each other.
   */
  private final ArrayDeque<LargeValueDestination> turns;

  /**
   * The values at their current length, including the memory of segments until the arena owns it.
   */
  final MemorySegment[] values;

  private final @Nullable Block[] segments;

  /** Arrays are filled through these blocks. There are none before the first array has memory. */
  private List<Block> blocks = List.of();

  private long onHeap;
  private long inBlocks;
  private long inSegments;
  private final ArrayDeque<Block> free = new ArrayDeque<>();
  private final Map<LandingPiece, Filling> fillings = new HashMap<>();
  private final LandingPiece.Cutter cutter = new LandingPiece.Cutter();
  private int blocksTaken;
  private int current;
  private long currentStart;

  private final Set<LandingPiece> inPlace = new HashSet<>();

  private int copying;
  private boolean obtaining;
  private boolean givenUp;
  private final LimitedWait wait;
  private @Nullable Waiters shortOf;

  /**
   * Makes a destination without memory.
   *
   * @param arena the owner of segments once they are complete; null: they are on the heap
   * @param turns the session's queue of growing values, in order of arrival
   */
  LargeValueDestination(
      SessionImpl session,
      LargeValueTable table,
      @Nullable Arena arena,
      ArrayDeque<LargeValueDestination> turns) {
    this.turns = turns;
    this.session = session;
    this.wait = new LimitedWait(session.loop(), this::letOwnerProceed);
    this.table = arena == null ? table.onHeap() : table;
    this.heap = session.memory().share(Memory.ASSEMBLY);
    this.outside = session.memory().share(Memory.BULK);
    this.arena = arena;
    this.bulk = session.context().bulk().memory();
    this.values = new MemorySegment[table.entries().size()];
    this.segments = new Block[values.length];
    forget();
  }

  private void forget() {
    for (int i = 0; i < values.length; i++) {
      values[i] = isArray(i) ? NO_ARRAY : MemorySegment.NULL;
    }
  }

  private boolean isArray(int index) {
    return table.entries().get(index).array();
  }

  private long segmentBytes() {
    return table.total() - table.inArrays();
  }

  @Override
  long capacity() {
    return table.total();
  }

  @Override
  boolean isQuicklyPrepared(long length) {
    return length <= BulkMemory.CHUNK_BYTES;
  }

  @Override
  RunOn preparedBy() {
    return RunOn.MEMORY;
  }

  /**
   * Claims all memory if it fits the session's own part; otherwise nothing.
   *
   * @throws TransferProblem if it can never fit
   */
  @Override
  void prepare(long length, Checksum checksum) throws TransferProblem {
    for (LargeValueTable.Entry entry : table.entries()) {
      if (entry.array() && entry.length() > LargeValueTable.LONGEST_ARRAY) {
        throw neverFits(
            "a value of %d bytes, longer than any array: publish it as an object, or, if it is a"
                    .formatted(entry.length())
                + " result, give its call an arena (CallOptions.withResultsIn)");
      }
    }
    if (!heap.mayEverTake(table.inArrays())) {
      throw neverFits("arrays: " + heap.refusal(table.inArrays(), Memory.ASSEMBLY.setting()));
    }
    if (!outside.mayEverTake(segmentBytes())) {
      throw neverFits("values: " + outside.refusal(segmentBytes(), Memory.BULK.setting()));
    }
    if (table.inArrays() <= heap.unused()
        && segmentBytes() + blockSize() * blockCount() <= outside.unused()) {
      try {
        for (int i = 0; i < values.length; i++) {
          enlarge(i, table.entries().get(i).length());
        }
      } catch (TransferProblem e) {
        giveBackAll();
        if (TransferProblem.shortageOf(e) == null) {
          throw e;
        }
        forget(); // another message of this session has it now: grow step by step
      }
    }
  }

  @Override
  @Nullable LandingPiece next(long offset, long most) {
    while (offset >= currentStart + table.entries().get(current).length()) {
      currentStart += table.entries().get(current).length();
      current++;
    }
    MemorySegment value = values[current];
    long at = offset - currentStart;
    if (at == value.byteSize()) {
      obtainMore(current);
      return null;
    }
    MemorySegment left = value.asSlice(at);
    return left.isNative() || writesHeap() ? inPlace(offset, left, most) : inBlock(offset, left);
  }

  private boolean writesHeap() {
    List<BulkPath> paths = session.bulkPaths();
    return !paths.isEmpty() && paths.getFirst().port.landsOnHeap();
  }

  // ---- waiting for memory ----

  /** Makes a value longer when nothing is being written into it. */
  private void obtainMore(int index) {
    boolean still = inPlace.isEmpty() && fillings.isEmpty() && copying == 0;
    boolean ready = still || values[index].byteSize() == 0;
    if (obtaining || givenUp || !ready || !isItsTurn()) {
      return;
    }
    obtaining = true;
    wait.beginAttempt();
    RunOn.MEMORY.run(session, () -> enlarge(index), this::obtained);
  }

  /** Returns whether the values may grow now. If not, the transfer continues when they may. */
  private boolean isItsTurn() {
    if (!turns.contains(this)) {
      turns.add(this);
    }
    return turns.peek() == this;
  }

  /** Leaves the queue: complete, or given up. */
  private void leave() {
    boolean was = turns.peek() == this;
    turns.remove(this);
    LargeValueDestination next = turns.peek();
    if (was && next != null) {
      session.loop().execute(next::letOwnerProceed);
    }
  }

  private void obtained(@Nullable Throwable failure) {
    obtaining = false;
    Shortage shortage = TransferProblem.shortageOf(failure);
    if (failure == null) {
      shortOf = null;
      wait.end();
      letOwnerProceed();
    } else if (shortage == null || givenUp || !waits(shortage)) {
      broken(failure);
    }
  }

  private boolean waits(Shortage shortage) {
    if (shortOf != shortage.waiters()) {
      shortOf = shortage.waiters();
      (shortOf == heap.waiters() ? heap : outside).quota().want(); // from its holders
    }
    return wait.goesOn(shortage);
  }

  @Override
  synchronized long takes() {
    return wait.isUnderWay() ? 0 : onHeap + inBlocks + inSegments;
  }

  /** Makes a value longer. Not while anything writes into it. */
  private void enlarge(int index) throws TransferProblem {
    long longer = Math.max(FIRST_BYTES, GROWTH * values[index].byteSize());
    enlarge(index, Math.min(table.entries().get(index).length(), longer));
  }

  private synchronized void enlarge(int index, long length) throws TransferProblem {
    if (!isArray(index)) {
      claimSegment(index);
      return;
    }
    MemorySegment old = values[index];
    long more = length - old.byteSize();
    claimBlocks();
    takeFrom(heap, more, Memory.ASSEMBLY.setting());
    onHeap += more;
    values[index] = copied(old, length);
  }

  /** Claims all of a segment, because it cannot grow in place. */
  private void claimSegment(int index) throws TransferProblem {
    long length = table.entries().get(index).length();
    Block block = bulk.claim(length, outside);
    if (block == null) {
      throw notNow(outside, length, Memory.BULK.setting(), CLOSE_ARENAS);
    }
    inSegments += block.size();
    segments[index] = block;
    values[index] = block.memory();
  }

  private static MemorySegment copied(MemorySegment old, long length) throws TransferProblem {
    try {
      return MemorySegment.ofArray(new byte[(int) length]).copyFrom(old);
    } catch (OutOfMemoryError e) {
      throw exhausted(
          "the process has no memory for %d bytes of values, although the limits allow them: %s"
              .formatted(length, e.getMessage()));
    }
  }

  private static void takeFrom(Quota.Share share, long bytes, String setting)
      throws TransferProblem {
    if (!share.take(bytes)) {
      throw notNow(share, bytes, setting, "");
    }
  }

  private static TransferProblem notNow(
      Quota.Share share, long bytes, String setting, String cure) {
    return exhausted("values: " + share.refusal(bytes, setting) + cure)
        .passing(share.shortage(bytes));
  }

  /** The status of values that are too long. A retry would not help. */
  private static TransferProblem neverFits(String why) {
    return new TransferProblem(RpcStatus.INVALID_ARGUMENT, why);
  }

  private static TransferProblem exhausted(String why) {
    return new TransferProblem(RpcStatus.RESOURCE_EXHAUSTED, why);
  }

  private long blockSize() {
    return Math.min(table.inArrays(), BulkMemory.CHUNK_BYTES);
  }

  private int blockCount() {
    long size = blockSize();
    return size == 0 ? 0 : (int) Math.min(MOST_BLOCKS, (table.inArrays() + size - 1) / size);
  }

  private void claimBlocks() throws TransferProblem {
    if (!blocks.isEmpty()) {
      return;
    }
    if (claimLongBlocks()) {
      return;
    }
    int count = blockCount();
    if (!outside.take(count * blockSize())) {
      count = 1;
      takeFrom(outside, blockSize(), Memory.BULK.setting());
    }
    long bytes = count * blockSize();
    @Nullable List<Block> claimed = bulk.claim(count, blockSize());
    if (claimed == null) {
      outside.give(bytes);
      throw bulk.noRoom(bytes, outside);
    }
    inBlocks = bytes;
    blocks = claimed;
  }

  /**
   * Claims long blocks for arrays from the session's own part, which also has to hold the segments.
   */
  private boolean claimLongBlocks() {
    long mean =
        table.inArrays() / table.entries().stream().filter(LargeValueTable.Entry::array).count();
    long size = mean <= LONG_BYTES / 2 ? LONG_BYTES / 2 : LONG_BYTES; // few lengths, for reuse
    int count = table.inArrays() <= size ? 1 : MOST_LONG_BLOCKS;
    if (mean <= BulkMemory.CHUNK_BYTES
        || segmentBytes() - inSegments + count * size > outside.unused()
        || !outside.take(count * size)) {
      return false;
    }
    List<Block> claimed = new ArrayList<>();
    Block block;
    while (claimed.size() < count && (block = bulk.claim(size)) != null) {
      claimed.add(block);
    }
    if (claimed.isEmpty()) {
      outside.give(count * size);
      return false;
    }
    outside.give((count - claimed.size()) * size);
    inBlocks = claimed.size() * size;
    blocks = claimed;
    return true;
  }

  // ---- open pieces ----

  private @Nullable LandingPiece inPlace(long offset, MemorySegment left, long most) {
    long open = inPlace.stream().mapToLong(piece -> piece.memory().byteSize()).sum();
    if (inPlace.size() == MOST_OPEN_PIECES || open + cutter.next(left, most) > MOST_OPEN_BYTES) {
      return null;
    }
    LandingPiece piece = cutter.cut(offset, left, MemoryLife.HELD, most);
    inPlace.add(piece);
    return piece;
  }

  private @Nullable LandingPiece inBlock(long offset, MemorySegment left) {
    if (blocksTaken < blocks.size()) {
      free.add(blocks.get(blocksTaken++));
    }
    Block block = free.poll();
    if (block == null) {
      return null;
    }
    MemorySegment into = left.asSlice(0, Math.min(block.memory().byteSize(), left.byteSize()));
    LandingPiece piece =
        new LandingPiece(offset, block.memory().asSlice(0, into.byteSize()), MemoryLife.HELD);
    fillings.put(piece, new Filling(piece, block, into));
    return piece;
  }

  @Override
  boolean halves(LandingPiece last) {
    return fillings.containsKey(last) ? last.halve() : cutter.halve(last);
  }

  @Override
  void takeBack(LandingPiece last) {
    Filling filling = fillings.remove(last);
    if (filling == null) {
      inPlace.remove(last);
    } else {
      free.add(filling.block);
    }
    current = 0; // search again: the offset may be in an earlier value
    currentStart = 0;
  }

  @Override
  void noteArrival(LandingPiece piece) {
    Filling filling = fillings.get(piece);
    if (filling != null && !givenUp) {
      filling.copyMore();
    }
  }

  @Override
  void filled(LandingPiece piece) {
    Filling filling = fillings.remove(piece);
    if (filling == null) {
      inPlace.remove(piece);
      letOwnerProceed();
    } else {
      filling.whole = true;
      filling.copyMore();
    }
  }

  @Override
  void giveUp() {
    givenUp = true;
    wait.end();
  }

  @Override
  boolean isIdle() {
    return copying == 0 && !obtaining;
  }

  @Override
  void finish(long length, @Nullable Integer expected, Consumer<@Nullable Throwable> then) {
    RunOn.runHere(this::lend, then);
  }

  @Override
  Received received(long length) {
    return Arrived.elsewhere(length);
  }

  /** Makes the arena the owner of the segments. Its close then releases their memory. */
  private void lend() throws TransferProblem {
    for (int i = 0; i < values.length; i++) {
      Block block = segments[i];
      if (block != null) {
        values[i] = lent(block);
      }
    }
  }

  private MemorySegment lent(Block block) throws TransferProblem {
    try {
      return block.memory().reinterpret(Objects.requireNonNull(arena), all -> block.release());
    } catch (IllegalStateException e) {
      throw new TransferProblem(
          RpcStatus.CANCELLED, "the arena of its results was closed too early: close it later", e);
    } catch (IllegalCallerException e) {
      throw new TransferProblem(
          RpcStatus.INTERNAL,
          "results in an arena require that the JVM was started with"
              + " --enable-native-access=ALL-UNNAMED, or =io.verbena.core on the module path",
          e);
    }
  }

  /** Releases the blocks. The values have arrived. */
  void releaseBlocks() {
    giveBackBlocks();
    leave();
  }

  private synchronized void giveBackBlocks() {
    outside.give(inBlocks);
    blocks.forEach(Block::release);
    blocks = List.of();
    inBlocks = 0;
  }

  /** Releases the quota of arrays, too. Segments stay claimed. */
  synchronized void release() {
    giveBackBlocks();
    heap.give(onHeap);
    onHeap = 0;
    inSegments = 0;
  }

  /** Releases everything. The values are not used. */
  private void giveBackAll() {
    release();
    for (Block block : segments) {
      if (block != null) {
        block.release();
      }
    }
  }

  @Override
  void discard(boolean keep, Runnable then) {
    giveBackAll();
    leave();
    then.run();
  }

  @Override
  boolean isUsers() {
    return false;
  }

  /** A block through which an array is filled. Its bytes are copied while more arrive. */
  private final class Filling {
    private final LandingPiece piece;
    private final Block block;
    private final MemorySegment into;
    private long copied;
    private boolean underWay;

    /** Whether nothing writes into the block any more. */
    private boolean whole;

    Filling(LandingPiece piece, Block block, MemorySegment into) {
      this.piece = piece;
      this.block = block;
      this.into = into;
    }

    /** Copies the arrived bytes if there are enough. */
    void copyMore() {
      long from = copied;
      long upTo = piece.arrived();
      if (underWay || (!whole && upTo - from < COPIED_BY)) {
        return;
      }
      copied = upTo;
      if (whole && upTo - from <= COPIED_AT_ONCE) {
        copy(from, upTo);
        free.add(block);
        letOwnerProceed();
        return;
      }
      underWay = true;
      copying++;
      RunOn.MEMORY.run(session, () -> copy(from, upTo), this::copied);
    }

    private void copy(long from, long upTo) {
      MemorySegment.copy(piece.memory(), from, into, from, upTo - from);
    }

    private void copied(@Nullable Throwable failure) {
      underWay = false;
      copying--;
      if (failure != null) {
        broken(failure);
      } else if (givenUp) {
        letOwnerProceed();
      } else {
        copyMore();
      }
    }
  }
}
