package io.verbena.simulation.plan;

import io.verbena.api.bulk.Landing;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Something that a run makes happen at a time. */
public sealed interface Step {
  /** Returns when, in nanoseconds since the run began. */
  long at();

  /** Returns whose it is, or between whose ends it happens: a session by its place. */
  int session();

  /** Returns the same of another session. */
  Step of(int otherSession);

  /**
   * A call.
   *
   * @param op its number, told apart by
   * @param session whose
   * @param amount bytes, stops or nanoseconds, as the kind has it
   * @param timeout of the call, in nanoseconds; 0: the session's default
   * @param cancelAfter its future is cancelled after so many nanoseconds; -1: it is not
   * @param cut how far its object is when it is ended; null: it is not ended by that
   */
  record Call(
      long at,
      int session,
      long op,
      CallKind kind,
      long amount,
      long timeout,
      long cancelAfter,
      @Nullable Cut cut)
      implements Step {
    /** One that is left alone on its way. */
    public Call(
        long at, int session, long op, CallKind kind, long amount, long timeout, long cancelAfter) {
      this(at, session, op, kind, amount, timeout, cancelAfter, null);
    }

    @Override
    public Call of(int other) {
      return new Call(at, other, op, kind, amount, timeout, cancelAfter, cut);
    }

    /** Returns the same, ended when it has come so far, and otherwise by this time limit alone. */
    Call cut(Cut end, long limit) {
      return new Call(at, session, op, kind, amount, limit, -1, end);
    }
  }

  /** What is called. */
  enum CallKind {
    COUNT,
    COUNT_NOW,
    ECHO,
    /** The same, with what gets shorter where it is compressed. */
    TEXT,
    NOTE,
    TOUR,
    WORK,
    FAIL_DECLARED,
    FAIL,
    READ,
    STREAM
  }

  /**
   * A transfer.
   *
   * @param op its number
   * @param length of the object
   * @param timeout in nanoseconds; 0: none
   * @param cancelAfter it is cancelled after so many nanoseconds; -1: it is not
   * @param cut how far it is when it is ended; null: it is not ended by that
   */
  record Move(
      long at,
      int session,
      long op,
      MoveKind kind,
      LandingKind landing,
      int length,
      boolean checksum,
      long timeout,
      long cancelAfter,
      @Nullable Cut cut)
      implements Step {
    /** Returns whether one of its ends may cancel it. */
    public boolean mayBeCancelled() {
      return cancelAfter >= 0 || (cut != null && cut.kind() != CutKind.OUT_OF_TIME);
    }

    @Override
    public Move of(int other) {
      return new Move(at, other, op, kind, landing, length, checksum, timeout, cancelAfter, cut);
    }

    /** Returns the same, begun by the other end. */
    Move back() {
      return new Move(
          at, session, op, kind.back(), landing, length, checksum, timeout, cancelAfter, cut);
    }

    Move into(LandingKind other) {
      return new Move(at, session, op, kind, other, length, checksum, timeout, cancelAfter, cut);
    }

    /** Returns the same, ended when it has come so far, and otherwise by this time limit alone. */
    Move cut(Cut end, long limit) {
      return new Move(at, session, op, kind, landing, length, checksum, limit, -1, end);
    }
  }

  /**
   * The end of a call or transfer that has come to a certain step of its object's way.
   *
   * @param stage how far it has come
   * @param kind who ends it
   */
  record Cut(Stage stage, CutKind kind) {}

  /** How far an object is, as users see it. */
  enum Stage {
    /** The other end knows of it. */
    OFFERED,
    /** The first bytes are in their landing. */
    FIRST_LANDED,
    HALF_LANDED,
    /** The last bytes are in their landing, and nobody has said so. */
    ALL_LANDED,
    /** The receiving end has all of it, and the sending end does not know yet. */
    TAKEN
  }

  /** Who ends what is on its way. */
  enum CutKind {
    /** Whoever began it cancels it. */
    CANCELLED_HERE,
    /** The other end cancels it. */
    CANCELLED_THERE,
    /** Its time is over: whoever began it stands still there until its deadline. */
    OUT_OF_TIME
  }

  /** Which way an object goes. */
  enum MoveKind {
    FETCH,
    PUSH,
    /** The server fetches what its client has published. */
    FETCH_BACK,
    /** The server pushes to its client. */
    PUSH_BACK;

    /** Returns whether whoever has the object begins. */
    public boolean isPush() {
      return this == PUSH || this == PUSH_BACK;
    }

    /** Returns the same, begun by the other end. */
    MoveKind back() {
      return switch (this) {
        case FETCH -> FETCH_BACK;
        case PUSH -> PUSH_BACK;
        case FETCH_BACK -> FETCH;
        case PUSH_BACK -> PUSH;
      };
    }
  }

  /** Which {@link Landing} it goes to. */
  enum LandingKind {
    MEMORY,
    POOLED,
    CHUNKS,
    /** A file that appears when it is whole; with sums, as by default. */
    FILE
  }

  /**
   * A call with streams.
   *
   * @param op its number
   * @param ending how its stream ends: of two, the one that it returns
   * @param argumentsEnding how the other one ends, where there are two
   * @param items that its publisher would send
   * @param itemBytes of each
   * @param until where the ending is not a good one: behind so many items
   * @param ask how many items its subscriber requests at a time
   * @param pace nanoseconds between two items of the publisher's; 0: as requested, at once
   * @param rest nanoseconds until the subscriber requests more; 0: at once
   * @param timeout of the call, in nanoseconds; 0: none
   * @param cancelAfter its caller cancels it after so many nanoseconds; -1: it does not
   */
  record Stream(
      long at,
      int session,
      long op,
      StreamKind kind,
      StreamEnding ending,
      StreamEnding argumentsEnding,
      int items,
      int itemBytes,
      int until,
      long ask,
      long pace,
      long rest,
      long timeout,
      long cancelAfter)
      implements Step {
    @Override
    public Stream of(int other) {
      return new Stream(
          at,
          other,
          op,
          kind,
          ending,
          argumentsEnding,
          items,
          itemBytes,
          until,
          ask,
          pace,
          rest,
          timeout,
          cancelAfter);
    }
  }

  /** Which way items go. */
  enum StreamKind {
    /** The handler sends. */
    WATCH,
    /** The caller sends. */
    COLLECT,
    /** Both send. */
    EXCHANGE,
    /** The client, called by its server, sends. */
    WATCH_BACK,
    /** The server, calling its client, sends. */
    COLLECT_BACK,
    /** Both send, and the server calls. */
    EXCHANGE_BACK;

    /** Returns whether the server calls. */
    public boolean isBack() {
      return this == WATCH_BACK || this == COLLECT_BACK || this == EXCHANGE_BACK;
    }

    /** Returns whether the call returns a stream. */
    public boolean answers() {
      return this != COLLECT && this != COLLECT_BACK;
    }

    /** Returns whether the call has a stream for an argument. */
    public boolean hasArguments() {
      return this != WATCH && this != WATCH_BACK;
    }
  }

  /** How a stream ends, if nothing else ends it. */
  enum StreamEnding {
    /** Its publisher completes. */
    WELL,
    /** Its subscriber cancels it. */
    CANCELLED,
    /** Its publisher fails. */
    FAILED,
    /** Its publisher falls silent. */
    SILENT,
    /** Its subscriber requests no more. */
    LEFT,
    /** Nobody subscribes. */
    IGNORED
  }

  /**
   * Memory is exposed.
   *
   * @param op its number
   * @param back whether the client exposes it; else the server
   * @param shared whether it is the memory that its process exposes to others, too
   * @param access as in {@link io.verbena.api.region.Regions}
   * @param lease in nanoseconds
   * @param renewAfter the lease begins anew after so many nanoseconds; -1: it does not
   * @param closeAfter its owner closes it after so many nanoseconds; -1: he does not
   */
  record Expose(
      long at,
      int session,
      long op,
      boolean back,
      boolean shared,
      int access,
      long lease,
      long renewAfter,
      long closeAfter)
      implements Step {
    @Override
    public Expose of(int other) {
      return new Expose(at, other, op, back, shared, access, lease, renewAfter, closeAfter);
    }
  }

  /**
   * The peer of whoever has exposed memory reaches it.
   *
   * @param op its number
   * @param region the number of the exposure
   * @param place which word, or which pair of a flag and its data
   * @param timeout in nanoseconds; 0: the session's default
   * @param cancelAfter it is cancelled after so many nanoseconds; -1: it is not
   */
  record Reach(
      long at,
      int session,
      long op,
      long region,
      ReachKind kind,
      int place,
      long timeout,
      long cancelAfter)
      implements Step {
    @Override
    public Reach of(int other) {
      return new Reach(at, other, op, region, kind, place, timeout, cancelAfter);
    }
  }

  /** What is done with memory that the peer has exposed. */
  enum ReachKind {
    /** A bit of its own is added to a word, of which nothing else is done but reads. */
    ADD,
    /** A word that nothing else changes is exchanged for a value that nobody else writes. */
    EXCHANGE,
    /** The same, and no more is told than whether. */
    SET,
    /** A word that nothing else changes is written, with a value that nobody else writes. */
    PUT,
    GET_ADDED,
    GET_EXCHANGED,
    GET_PUT,
    /** By one request: the data, and then the flag that says which. */
    PUT_PAIR,
    /** By one request: the flag, and then the data. */
    GET_PAIR,
    /** What nobody changes. */
    GET_LONG,
    /** What its ref, which is forged, says that it has. */
    GET_BEYOND,
    /** What its ref, which is forged, says that it allows. */
    WITHOUT_RIGHT,
    WITH_WRONG_KEY
  }

  /**
   * Something that goes wrong.
   *
   * @param session between whose ends
   * @param nanos for so long
   * @param amount of what the kind has
   * @param aim it waits until its session is in this phase, but not for ever; null: for none
   */
  record Fault(long at, FaultKind kind, int session, long nanos, long amount, @Nullable Phase aim)
      implements Step {
    /** One that happens at its time. */
    public Fault(long at, FaultKind kind, int session, long nanos, long amount) {
      this(at, kind, session, nanos, amount, null);
    }

    @Override
    public Fault of(int other) {
      return new Fault(at, kind, other, nanos, amount, aim);
    }

    /** Returns what befalls shared memory where this would befall a device or the fabric. */
    Fault overSharedMemory() {
      return new Fault(at, kind.overSharedMemory(), session, nanos, amount, aim);
    }
  }

  /** What goes wrong. */
  enum FaultKind {
    STREAM_RESET,
    STREAM_STALL,
    STREAM_HALF_STALL,
    STREAM_THROTTLE,
    STREAM_DELAY,
    SERVER_STANDS_STILL,
    CLIENT_STANDS_STILL,
    CLOCK_JUMP,
    FABRIC_CUT,
    FABRIC_DELAY,
    DEVICE_REMOVED,
    DEVICE_BREAKS,
    COMPLETION_ERRORS,
    CONNECTIONS_REFUSED,
    CONNECTIONS_IGNORED,
    MEMORY_REFUSED,
    BOTH_LINKS,
    HANDLERS_FULL,
    SERVER_RESTART,
    CLIENT_RESTART,
    /** The server shuts down in order, and is started again. */
    SERVER_DRAINS,
    /** The client's links through shared memory are cut. */
    SHM_CUT,
    /** Loops are woken late by what comes through shared memory. */
    SHM_LATE,
    /** The loops of one end are not woken by it, nor by a peer that wants to connect. */
    SHM_UNHEARD,
    /** The files of links that are being opened are removed. */
    SHM_REMOVED,
    /** The server offers no link through shared memory. */
    SHM_REFUSED;

    /** Those of plans whose better links are RDMA's. */
    public static final Set<FaultKind> WITH_RDMA = EnumSet.range(STREAM_RESET, SERVER_DRAINS);

    /** Those of plans whose better links go through shared memory. */
    public static final Set<FaultKind> WITH_SHM =
        EnumSet.copyOf(
            Arrays.stream(values()).map(FaultKind::overSharedMemory).collect(Collectors.toSet()));

    /** Returns whether an end takes late what comes, or for a while nothing. */
    boolean isSlow() {
      return switch (this) {
        case SERVER_STANDS_STILL, CLIENT_STANDS_STILL, SHM_LATE, SHM_UNHEARD -> true;
        default -> false;
      };
    }

    private FaultKind overSharedMemory() {
      return switch (this) {
        case FABRIC_CUT, DEVICE_REMOVED, COMPLETION_ERRORS -> SHM_CUT;
        case FABRIC_DELAY -> SHM_LATE;
        case DEVICE_BREAKS, MEMORY_REFUSED -> SHM_REMOVED;
        case CONNECTIONS_REFUSED -> SHM_REFUSED;
        case CONNECTIONS_IGNORED -> SHM_UNHEARD;
        default -> this;
      };
    }
  }
}
