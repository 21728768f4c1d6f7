package io.verbena.simulation.check;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import io.verbena.api.Execution;
import io.verbena.api.RpcException;
import io.verbena.api.region.ExposedRegion;
import io.verbena.simulation.plan.Step.Reach;
import io.verbena.simulation.plan.Step.ReachKind;
import io.verbena.simulation.world.SimHost;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Records operations on exposed memory with their results, and checks the rules. The operations on
 * a word, together with its last value, must be linearizable. The {@link WordHistory histories} of
 * words check that.
 *
 * <p>Each board of memory has the same layout:
 *
 * <pre>
 *   0   two words that are added to    16  two that are exchanged    32  two that are written
 *   64  two pairs of a flag and its data
 *   4096 … constant bytes
 * </pre>
 */
public final class RegionBook {
  /** The length of a board. */
  public static final int BOARD_BYTES = 64 << 10;

  /** The offset of the constant bytes. */
  public static final int CONSTANT = 4096;

  /** The length of the data in a pair. */
  public static final int PAIR_BYTES = 504;

  private static final int ADDED = 0;
  private static final int EXCHANGED = 2;
  private static final int WRITTEN = 4;
  private static final int WORDS = 6;
  private static final int PAIRS = 64;

  private final Journal journal;
  private final LongSupplier clock;
  private final boolean calm;
  private final List<Board> boards = new ArrayList<>();
  private final List<Region> regions = new ArrayList<>();
  private final List<Op> ops = new ArrayList<>();
  private final Tally coverage = new Tally();

  /** The number of events, which orders events of the same time. */
  private long events;

  private int open;

  /** The memory of one process. */
  public static final class Board {
    private final MemorySegment memory;
    private final int number;
    private final List<WordHistory> words = new ArrayList<>();
    private final List<Pair> pairs = List.of(new Pair(), new Pair());

    /** The content when no peer could access the memory any more. */
    private @Nullable MemorySegment last;

    Board(MemorySegment memory, int number) {
      this.memory = memory;
      this.number = number;
      for (int i = 0; i < WORDS; i++) {
        words.add(
            i < EXCHANGED
                ? new WordHistory.Added()
                : i < WRITTEN ? new WordHistory.Exchanged() : new WordHistory.Written());
      }
      Content.fill(memory.asSlice(CONSTANT), number, 0);
    }

    public MemorySegment memory() {
      return memory;
    }
  }

  /** A flag and its data, which have one writer at a time. */
  private static final class Pair {
    private final List<Long> never = new ArrayList<>();
    private long begun;
    private long done;
    private boolean busy;

    /** Whether it is unknown if the last write is done, or will be. */
    private boolean retired;
  }

  /** A board that one peer may access. */
  public static final class Region {
    private final Board board;
    private final ExposedRegion exposed;
    private final SimHost owner;
    private final String name;
    private long due;
    private long closed = Long.MAX_VALUE;
    private long ended = Long.MAX_VALUE;
    private boolean isGone;

    Region(Board board, ExposedRegion exposed, SimHost owner, String name, long due) {
      this.board = board;
      this.exposed = exposed;
      this.owner = owner;
      this.name = name;
      this.due = due;
    }
  }

  public static final class Op {
    final Reach step;
    final String session;
    final SimHost caller;
    final Region region;
    final long issued;
    final long timeout;
    final long stillBefore;

    /** The numbers of the events at its beginning and end. */
    final long began;

    long ended = Long.MAX_VALUE;

    /** The value to write or add. */
    long value;

    /** The expected value of an exchange. */
    long expected;

    /** The value that it read, if any. */
    @Nullable Long seen;

    boolean isOpen = true;
    boolean cancelled;

    boolean done;

    /** Whether the operation is not done, and never will be. */
    boolean never;

    /** The number of the pair's writes that were known to be done. */
    private long doneBefore;

    Op(
        Reach step,
        String session,
        SimHost caller,
        Region region,
        long issued,
        long timeout,
        long began) {
      this.step = step;
      this.session = session;
      this.caller = caller;
      this.region = region;
      this.issued = issued;
      this.timeout = timeout;
      this.stillBefore = caller.stillNanos();
      this.began = began;
    }

    public long offset() {
      int place = step.place();
      return switch (step.kind()) {
        case PUT_PAIR, GET_PAIR -> PAIRS + (long) place * (Long.BYTES + PAIR_BYTES);
        case GET_LONG -> CONSTANT;
        default -> (long) Long.BYTES * word();
      };
    }

    private int word() {
      return step.place()
          + switch (step.kind()) {
            case EXCHANGE, SET, GET_EXCHANGED -> EXCHANGED;
            case PUT, GET_PUT -> WRITTEN;
            default -> ADDED;
          };
    }

    /** Returns the nanoseconds until the operation is cancelled; -1 for never. */
    public long cancelAfter() {
      return step.cancelAfter();
    }

    /** Returns the value to write or add. */
    public long value() {
      return value;
    }

    /** Returns the expected value of an exchange. */
    public long expected() {
      return expected;
    }

    /** Returns the value that the operation read. */
    long seen() {
      return Objects.requireNonNull(seen);
    }

    private boolean isOfWord() {
      return switch (step.kind()) {
        case ADD, EXCHANGE, SET, PUT, GET_ADDED, GET_EXCHANGED, GET_PUT -> true;
        default -> false;
      };
    }

    private boolean isAtomic() {
      return switch (step.kind()) {
        case ADD, EXCHANGE, SET -> true;
        default -> false;
      };
    }

    private boolean isForged() {
      return switch (step.kind()) {
        case GET_BEYOND, WITHOUT_RIGHT, WITH_WRONG_KEY -> true;
        default -> false;
      };
    }

    private WordHistory history() {
      return region.board.words.get(word());
    }

    private Pair pair() {
      return region.board.pairs.get(step.place());
    }

    @Override
    public String toString() {
      return "%s of op %d in events %d to %s"
          .formatted(step.kind(), step.op(), began, ended == Long.MAX_VALUE ? "the end" : ended);
    }
  }

  /**
   * Makes a book without regions.
   *
   * @param calm whether the run has no faults
   */
  public RegionBook(Journal journal, LongSupplier clock, boolean calm) {
    this.journal = journal;
    this.clock = clock;
    this.calm = calm;
  }

  /** Returns the counts of the results of operations. */
  public Tally coverage() {
    return coverage;
  }

  // ---- owners ----

  /** Adds a board of a process. Its memory is all zeros. */
  public Board board(MemorySegment memory) {
    Board made = new Board(memory, boards.size() + 1);
    boards.add(made);
    return made;
  }

  /**
   * Records that a board is exposed.
   *
   * @param due the end of the lease
   */
  public Region exposed(Board board, ExposedRegion exposed, SimHost owner, String name, long due) {
    Region made = new Region(board, exposed, owner, name, due);
    regions.add(made);
    coverage.add("exposed");
    return made;
  }

  /** Records that the lease of a region is renewed. */
  public void renewed(Region region, long due) {
    region.due = due;
  }

  /** Records that the owner has closed a region. */
  public void closed(Region region) {
    region.closed = Math.min(region.closed, ++events);
  }

  /**
   * Records the end of a region. Returns whether its board is free for other use.
   *
   * @param lost whether its device cannot be stopped
   */
  public boolean ended(Region region, boolean shared, boolean lost) {
    region.ended = ++events;
    coverage.add(lost ? "ended by no fence" : "ended");
    if (shared || lost || region.isGone || region.board.last != null) {
      return false;
    }
    noteLast(region.board);
    return true;
  }

  /** Describes the regions that should have ended but have not. */
  public List<String> overdue(boolean all) {
    List<String> names = new ArrayList<>();
    for (Region region : regions) {
      boolean due = all || region.closed < Long.MAX_VALUE || region.due <= clock.getAsLong();
      if (due && !region.isGone && region.ended == Long.MAX_VALUE) {
        names.add(region.name + (region.exposed.isOpen() ? ", open" : ", not fenced"));
      }
    }
    return names;
  }

  /** Records that a process was killed. Its regions are gone, and its operations need not end. */
  public void processIsGone(SimHost process) {
    for (Region region : regions) {
      region.isGone |= region.owner == process;
    }
    for (Op op : ops) {
      if (op.isOpen && op.caller == process) {
        over(op);
        if (op.step.kind() == ReachKind.PUT_PAIR) {
          op.pair().retired = true;
        }
      }
    }
  }

  // ---- peers ----

  /** Returns the number of operations that have not ended. */
  public int open() {
    return open;
  }

  /** Describes the operations that have not ended. */
  public List<String> openOnes() {
    return ops.stream().filter(op -> op.isOpen).map(Op::toString).toList();
  }

  /** Returns whether an operation may begin now, because a pair has one writer at a time. */
  public boolean mayBegin(Reach step, Region region) {
    Pair pair = region.board.pairs.get(step.place());
    return switch (step.kind()) {
      case PUT_PAIR -> !pair.busy && !pair.retired;
      case ADD -> region.board.words.get(step.place()).hasRoom();
      default -> true;
    };
  }

  /**
   * Records the beginning of an operation.
   *
   * @param timeout the timeout in nanoseconds
   */
  public Op began(Reach step, String session, SimHost caller, Region region, long timeout) {
    Op op = new Op(step, session, caller, region, clock.getAsLong(), timeout, ++events);
    ops.add(op);
    open++;
    if (op.isOfWord()) {
      op.history().began(op);
    } else if (step.kind() == ReachKind.PUT_PAIR || step.kind() == ReachKind.GET_PAIR) {
      Pair pair = op.pair();
      op.doneBefore = pair.done;
      if (step.kind() == ReachKind.PUT_PAIR) {
        pair.busy = true;
        op.value = ++pair.begun;
      }
    }
    return op;
  }

  /** Records that the caller cancels an operation. */
  public void cancels(Op op) {
    op.cancelled = true;
  }

  private void over(Op op) {
    op.isOpen = false;
    open--;
  }

  /**
   * Records the end of an operation.
   *
   * @param seen the value that it read, or the earlier value of the word; null for none
   */
  public void ended(Op op, @Nullable Long seen, @Nullable Throwable thrown) {
    if (!op.isOpen) {
      return; // the process was killed
    }
    over(op);
    Throwable failure = thrown instanceof CompletionException wrapped ? wrapped.getCause() : thrown;
    long took = clock.getAsLong() - op.issued;
    if (took - op.timeout - (op.caller.stillNanos() - op.stillBefore) > Journal.LATE_NANOS) {
      broken(
          op,
          "deadlines end operations on regions in time",
          "it took %,.3f ms of %,.3f: %s".formatted(took / 1e6, op.timeout / 1e6, failure));
    }
    op.never = failure instanceof RpcException e && e.execution() == Execution.NOT_EXECUTED;
    op.done = failure == null;
    if (op.done || op.never) {
      op.ended = ++events;
    }
    op.seen = seen;
    coverage.add(op.step.kind() + (failure == null ? "" : " " + words(failure)));
    if (failure == null) {
      succeeded(op);
    } else {
      failed(op, failure, took);
    }
    if (op.step.kind() == ReachKind.PUT_PAIR) {
      putPair(op, failure);
    }
  }

  private static String words(Throwable failure) {
    return failure instanceof RpcException rpc
        ? rpc.status() + "/" + rpc.execution()
        : failure.getClass().getSimpleName();
  }

  private void succeeded(Op op) {
    if (op.isForged()) {
      broken(op, "operations without permission are refused", "it succeeded");
    }
    if (op.began > op.region.ended) {
      broken(op, "regions that have ended cannot be accessed", "it succeeded");
    }
    if (op.isAtomic() && op.began > op.region.closed) {
      broken(op, "closed regions refuse operations", "it succeeded");
    }
  }

  private void failed(Op op, Throwable failure, long took) {
    if (failure instanceof CancellationException) {
      if (!op.cancelled) {
        broken(op, "nothing cancels itself", String.valueOf(failure));
      }
      return;
    }
    if (!(failure instanceof RpcException rpc)) {
      broken(op, "failures are of the declared types", failure.toString());
      return;
    }
    boolean ends =
        op.region.closed < Long.MAX_VALUE
            || op.region.ended < Long.MAX_VALUE
            || !op.region.exposed.isOpen();
    boolean expected =
        switch (rpc.status()) {
          case DEADLINE_EXCEEDED -> took >= op.timeout;
          case UNAVAILABLE -> (!calm || ends || op.isForged()) && !Journal.isOfProtocol(rpc);
          case RESOURCE_EXHAUSTED -> true;
          case INVALID_ARGUMENT, PERMISSION_DENIED -> op.isForged() && op.never;
          case CANCELLED -> op.cancelled || !calm;
          default -> false;
        };
    if (!expected) {
      broken(op, "operations on regions fail for a reason", String.valueOf(rpc.getMessage()));
    }
  }

  private static void putPair(Op op, @Nullable Throwable failure) {
    Pair pair = op.pair();
    pair.busy = false;
    if (failure == null) {
      pair.done = op.value;
    } else if (op.never) {
      pair.never.add(op.value);
    } else {
      pair.retired = true;
    }
  }

  /** Checks a pair that was read. */
  public void pairRead(Op op, long flag, MemorySegment data) {
    pairRead(op, op.pair(), op.doneBefore, flag, data);
  }

  private void pairRead(@Nullable Op op, Pair pair, long least, long flag, MemorySegment data) {
    String rule = "pieces of one request are read and written in their order";
    if (!isOf(pair, least, flag)) {
      broken(op, rule, "the flag is %d, of %d to %d".formatted(flag, least, pair.begun));
    }
    for (long at = 0; at < data.byteSize(); at += Long.BYTES) {
      long word = data.get(JAVA_LONG_UNALIGNED, at);
      if (!isOf(pair, flag, word)) {
        broken(op, rule, "the flag is %d, but the data at %d is %d".formatted(flag, at, word));
        return;
      }
    }
  }

  private static boolean isOf(Pair pair, long least, long value) {
    return value >= least && value <= pair.begun && !pair.never.contains(value);
  }

  /** Checks constant bytes that were read. */
  public void constantRead(Op op, MemorySegment read) {
    long at = Content.difference(read, op.region.board.number, 0);
    if (at >= 0) {
      broken(op, "reads return the content of memory", "another byte at " + at);
    }
  }

  private void broken(@Nullable Op op, String rule, String what) {
    journal.broken(
        rule,
        op == null ? "" : op.session,
        op == null ? 0 : op.step.op(),
        op == null ? what : what + ": " + op);
  }

  // ---- the end ----

  private void noteLast(Board board) {
    if (board.last == null) {
      board.last = MemorySegment.ofArray(board.memory.asSlice(0, CONSTANT).toArray(JAVA_BYTE));
      long at = Content.difference(board.memory.asSlice(CONSTANT), board.number, 0);
      if (at >= 0) {
        broken(null, "writes change only their own bytes", "at " + (CONSTANT + at));
      }
    }
  }

  /** Checks all boards. No process changes their memory any more. */
  public void closeBooks() {
    for (Board board : boards) {
      noteLast(board);
      close(board, Objects.requireNonNull(board.last));
    }
  }

  private void close(Board board, MemorySegment last) {
    for (int i = 0; i < WORDS; i++) {
      long word = last.get(JAVA_LONG_UNALIGNED, (long) Long.BYTES * i);
      board.words.get(i).close(word, this::broken);
    }
    for (int i = 0; i < board.pairs.size(); i++) {
      Pair pair = board.pairs.get(i);
      long at = PAIRS + (long) i * (Long.BYTES + PAIR_BYTES);
      MemorySegment data = last.asSlice(at + Long.BYTES, PAIR_BYTES);
      pairRead(null, pair, pair.done, last.get(JAVA_LONG_UNALIGNED, at), data);
    }
  }

  /** Receives violations of rules. */
  interface Finding {
    void broken(@Nullable Op op, String rule, String what);
  }
}
