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
 * Notes what is done with memory that others may reach, and what becomes of it, and says what
 * breaks the rules. What is done with a word, and what it was at the end, must be linearizable: the
 * {@link WordHistory histories} of words say whether it is.
 *
 * <p>Each board of memory has the same things at the same places:
 *
 * <pre>
 *   0   two words that are added to    16  two that are exchanged    32  two that are written
 *   64  two pairs of a flag and the data that it tells of
 *   4096 … what nobody changes
 * </pre>
 */
public final class RegionBook {
  /** How long a board is. */
  public static final int BOARD_BYTES = 64 << 10;

  /** Where what nobody changes begins. */
  public static final int CONSTANT = 4096;

  /** How many bytes the data of a pair have. */
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

  /** Counts what happens: of two things that happen at one time one is the first. */
  private long events;

  private int open;

  /** Memory of one process. */
  public static final class Board {
    private final MemorySegment memory;
    private final int number;
    private final List<WordHistory> words = new ArrayList<>();
    private final List<Pair> pairs = List.of(new Pair(), new Pair());

    /** What it was when nobody could reach it any more. */
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

    /** Returns the memory. */
    public MemorySegment memory() {
      return memory;
    }
  }

  /** A flag and the data that it tells of, which one after the other writes. */
  private static final class Pair {
    private final List<Long> never = new ArrayList<>();
    private long begun;
    private long done;
    private boolean busy;

    /** It is not known of the last one whether it is done, or will be. */
    private boolean retired;
  }

  /** A board that one peer may reach. */
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

  /** Something that is done with a region. */
  public static final class Op {
    final Reach step;
    final String session;
    final SimHost caller;
    final Region region;
    final long issued;
    final long timeout;
    final long stillBefore;

    /** When it began and ended, in the order of events. */
    final long began;

    long ended = Long.MAX_VALUE;

    /** What it writes or adds. */
    long value;

    /** What the word is to be, of an exchange. */
    long expected;

    /** What it saw, if anything. */
    @Nullable Long seen;

    boolean isOpen = true;
    boolean cancelled;

    /** It is done. */
    boolean done;

    /** It is not done, and never will be. */
    boolean never;

    /** For so long its pair was known to be written. */
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

    /** Returns where it is done. */
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

    /** Returns after how many nanoseconds it is cancelled; -1: it is not. */
    public long cancelAfter() {
      return step.cancelAfter();
    }

    /** Returns what it writes or adds. */
    public long value() {
      return value;
    }

    /** Returns what the word is to be, of an exchange. */
    public long expected() {
      return expected;
    }

    /** Returns what it saw, where it saw something. */
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
   * A book without regions.
   *
   * @param calm nothing goes wrong in this run
   */
  public RegionBook(Journal journal, LongSupplier clock, boolean calm) {
    this.journal = journal;
    this.clock = clock;
    this.calm = calm;
  }

  /** Returns how it went, how often. */
  public Tally coverage() {
    return coverage;
  }

  // ---- owners ----

  /** A process has memory, which is all zeros. */
  public Board board(MemorySegment memory) {
    Board made = new Board(memory, boards.size() + 1);
    boards.add(made);
    return made;
  }

  /**
   * A board is exposed.
   *
   * @param due when its lease is over
   */
  public Region exposed(Board board, ExposedRegion exposed, SimHost owner, String name, long due) {
    Region made = new Region(board, exposed, owner, name, due);
    regions.add(made);
    coverage.add("exposed");
    return made;
  }

  /** Its lease begins anew. */
  public void renewed(Region region, long due) {
    region.due = due;
  }

  /** Its owner has closed it. */
  public void closed(Region region) {
    region.closed = Math.min(region.closed, ++events);
  }

  /**
   * It has ended; returns whether its board is nobody's any more, and may be used otherwise.
   *
   * @param lost its device cannot be stopped
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

  /** Returns the regions that should have ended and have not, in words. */
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

  /** A process was killed: its regions are gone, and what it did ends no more. */
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

  // ---- those who reach it ----

  /** Returns how many have not ended. */
  public int open() {
    return open;
  }

  /** Returns those that have not ended, in words. */
  public List<String> openOnes() {
    return ops.stream().filter(op -> op.isOpen).map(Op::toString).toList();
  }

  /** Returns whether something may be done now: a pair has one writer at a time. */
  public boolean mayBegin(Reach step, Region region) {
    Pair pair = region.board.pairs.get(step.place());
    return switch (step.kind()) {
      case PUT_PAIR -> !pair.busy && !pair.retired;
      case ADD -> region.board.words.get(step.place()).hasRoom();
      default -> true;
    };
  }

  /**
   * Something begins.
   *
   * @param timeout in nanoseconds
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

  /** Whoever began it cancels it. */
  public void cancels(Op op) {
    op.cancelled = true;
  }

  private void over(Op op) {
    op.isOpen = false;
    open--;
  }

  /**
   * It has ended.
   *
   * @param seen what it read, or what the word was; null: nothing
   */
  public void ended(Op op, @Nullable Long seen, @Nullable Throwable thrown) {
    if (!op.isOpen) {
      return; // its process was killed
    }
    over(op);
    Throwable failure = thrown instanceof CompletionException wrapped ? wrapped.getCause() : thrown;
    long took = clock.getAsLong() - op.issued;
    if (took - op.timeout - (op.caller.stillNanos() - op.stillBefore) > Journal.LATE_NANOS) {
      broken(
          op,
          "deadlines end what is done with regions in time",
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
      broken(op, "what is not allowed is refused", "it succeeded");
    }
    if (op.began > op.region.ended) {
      broken(op, "nothing reaches memory of regions that have ended", "it succeeded");
    }
    if (op.isAtomic() && op.began > op.region.closed) {
      broken(op, "closed regions take no calls", "it succeeded");
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
      broken(op, "what is done with regions fails for a reason", String.valueOf(rpc.getMessage()));
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

  /** A pair was read. */
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
        broken(op, rule, "the flag says %d, and the data at %d %d".formatted(flag, at, word));
        return;
      }
    }
  }

  private static boolean isOf(Pair pair, long least, long value) {
    return value >= least && value <= pair.begun && !pair.never.contains(value);
  }

  /** What nobody changes was read. */
  public void constantRead(Op op, MemorySegment read) {
    long at = Content.difference(read, op.region.board.number, 0);
    if (at >= 0) {
      broken(op, "what is read is what is there", "another byte at " + at);
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
        broken(null, "nothing is written but where it belongs", "at " + (CONSTANT + at));
      }
    }
  }

  /** Looks at all boards, whose memory nobody changes any more. */
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

  /** Hears what breaks a rule. */
  interface Finding {
    void broken(@Nullable Op op, String rule, String what);
  }
}
