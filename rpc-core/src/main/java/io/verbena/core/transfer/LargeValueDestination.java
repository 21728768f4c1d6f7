package io.verbena.core.transfer;

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
import io.verbena.link.memory.Quota;
import io.verbena.link.memory.Shortage;
import io.verbena.link.memory.Waiters;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The large values of a message on their way in. They are on the heap, where a link that can writes
 * them, and where it cannot they are filled through a few pooled blocks; segments of a caller that
 * has an arena for them are pooled themselves, and written where they will be read. Where there is
 * not enough memory now it is waited for. Quotas hold for the way: what has been handed over is the
 * application's, but for what is pooled.
 */
final class LargeValueDestination extends Destination {
  private static final int MOST_OPEN_PIECES = 16;

  /** Two of the longest pieces, as of any other memory. */
  private static final long MOST_OPEN_BYTES = 2 * BulkPath.PIECE_BYTES;

  /** So much is copied on the loop rather than handed to another thread. */
  private static final long COPIED_AT_ONCE = 64 << 10;

  /** So much at a time is copied out of a block that still fills. */
  private static final long COPIED_BY = BulkMemory.CHUNK_BYTES;

  private final SessionImpl session;
  private final LargeValueTable table;
  private final ValueMemory memory;
  private final Turns turns;
  private final ArrayDeque<Block> free = new ArrayDeque<>();
  private final Map<LandingPiece, Filling> fillings = new HashMap<>();
  private final LandingPiece.Cutter cutter = new LandingPiece.Cutter();
  private int blocksTaken;
  private int current;
  private long currentStart;

  /** Pieces that are written where they will be read. */
  private final Set<LandingPiece> inPlace = new HashSet<>();

  private int copying;
  private boolean obtaining;
  private boolean givenUp;
  private final LimitedWait wait;
  private @Nullable Waiters shortOf;

  /**
   * Room for values, none claimed yet.
   *
   * @param heap what arrays may take on their way in
   * @param outside what all else may take
   * @param arena what segments live in from when they are whole; null: they are on the heap
   * @param turns says when its values may grow
   */
  LargeValueDestination(
      SessionImpl session,
      LargeValueTable table,
      Quota.Share heap,
      Quota.Share outside,
      @Nullable Arena arena,
      Turns turns) {
    this.turns = turns;
    this.session = session;
    this.wait = new LimitedWait(session.loop(), this::moves);
    this.table = arena == null ? table.onHeap() : table;
    this.memory = new ValueMemory(this.table, heap, outside, arena, session.bulkContext().memory());
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
  void prepare(long length, Checksum checksum) throws TransferProblem {
    memory.prepare();
  }

  @Override
  @Nullable LandingPiece next(long offset, long most) {
    while (offset >= currentStart + table.entries().get(current).length()) {
      currentStart += table.entries().get(current).length();
      current++;
    }
    MemorySegment value = memory.value(current);
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
    return !paths.isEmpty() && paths.getFirst().port().landsOnHeap();
  }

  // ---- memory that is not there yet ----

  /** Has a value become longer, once nothing is under way into what there is of it. */
  private void obtainMore(int index) {
    boolean still = inPlace.isEmpty() && fillings.isEmpty() && copying == 0;
    boolean ready = still || memory.value(index).byteSize() == 0;
    if (obtaining || givenUp || !ready || !turns.isTurnOf(this)) {
      return;
    }
    obtaining = true;
    wait.tries();
    RunOn.MEMORY.run(session, () -> memory.enlarge(index), this::obtained);
  }

  /** It may grow, after others of its session. */
  void itsTurn() {
    session.loop().execute(this::moves);
  }

  private void obtained(@Nullable Throwable failure) {
    obtaining = false;
    Shortage shortage = TransferProblem.shortageOf(failure);
    if (failure == null) {
      shortOf = null;
      wait.ends();
      moves();
    } else if (shortage == null || givenUp || !waits(shortage)) {
      broken(failure);
    }
  }

  private boolean waits(Shortage shortage) {
    if (shortOf != shortage.waiters()) {
      shortOf = shortage.waiters();
      memory.want(shortOf);
    }
    return wait.goesOn(shortage);
  }

  @Override
  long takes() {
    return wait.isUnderWay() ? 0 : memory.takes();
  }

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
    if (blocksTaken < memory.blocks().size()) {
      free.add(memory.blocks().get(blocksTaken++));
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
    current = 0; // to be looked for anew: it may be a value before
    currentStart = 0;
  }

  @Override
  void arrives(LandingPiece piece) {
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
      moves();
    } else {
      filling.whole = true;
      filling.copyMore();
    }
  }

  @Override
  void giveUp() {
    givenUp = true;
    wait.ends();
  }

  @Override
  boolean isIdle() {
    return copying == 0 && !obtaining;
  }

  @Override
  void finish(long length, @Nullable Integer expected, Consumer<@Nullable Throwable> then) {
    RunOn.runHere(memory::lend, then);
  }

  @Override
  Received received(long length) {
    return Arrived.elsewhere(length);
  }

  /** Returns the values, whole. */
  MemorySegment[] values() {
    return memory.values();
  }

  /** Gives back what was needed on the way. */
  void releaseBlocks() {
    memory.releaseBlocks();
    turns.leave(this);
  }

  /** Gives back what the values count for, too. */
  void release() {
    memory.release();
    turns.leave(this);
  }

  @Override
  void discard(boolean keep, Runnable then) {
    memory.discard();
    turns.leave(this);
    then.run();
  }

  @Override
  boolean isUsers() {
    return false;
  }

  /** A block that an array is filled through: it is copied out while it fills. */
  private final class Filling {
    private final LandingPiece piece;
    private final Block block;
    private final MemorySegment into;
    private long copied;
    private boolean underWay;

    /** Nothing writes into it any more. */
    private boolean whole;

    Filling(LandingPiece piece, Block block, MemorySegment into) {
      this.piece = piece;
      this.block = block;
      this.into = into;
    }

    /** Copies what has come, once that is worth it. */
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
        moves();
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
        moves();
      } else {
        copyMore();
      }
    }
  }

  /**
   * Which values of one session's peer may grow beyond what the session is guaranteed: those of one
   * message at a time, in the order of coming. Two that each have half of what they need would wait
   * for each other. On the loop.
   */
  static final class Turns {
    private final ArrayDeque<LargeValueDestination> waiting = new ArrayDeque<>();

    /** Returns whether it is its turn; if not, it is told when it is. */
    private boolean isTurnOf(LargeValueDestination values) {
      if (!waiting.contains(values)) {
        waiting.add(values);
      }
      return waiting.peek() == values;
    }

    /** It needs no more, or is given up. */
    private void leave(LargeValueDestination values) {
      boolean was = waiting.peek() == values;
      waiting.remove(values);
      LargeValueDestination next = waiting.peek();
      if (was && next != null) {
        next.itsTurn();
      }
    }
  }
}
