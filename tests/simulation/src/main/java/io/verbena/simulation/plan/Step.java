package io.verbena.simulation.plan;

import io.verbena.api.bulk.Landing;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** An action of a run at a time. */
public sealed interface Step {
  /** Returns the time in nanoseconds since the start of the run. */
  long at();

  /** Returns the index of its session. */
  int session();

  /** Returns this step for another session. */
  Step of(int otherSession);

  /**
   * A call.
   *
   * @param op the unique number
   * @param amount bytes, stops or nanoseconds, by the kind
   * @param timeout the timeout in nanoseconds; 0 for the session's default
   * @param cancelAfter the nanoseconds until its future is cancelled; -1 for never
   * @param cut the stage of its object at which it is ended; null for none
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
    /** Makes a call without a cut. */
    public Call(
        long at, int session, long op, CallKind kind, long amount, long timeout, long cancelAfter) {
      this(at, session, op, kind, amount, timeout, cancelAfter, null);
    }

    @Override
    public Call of(int other) {
      return new Call(at, other, op, kind, amount, timeout, cancelAfter, cut);
    }

    /** Returns this step with a cut at a stage, and otherwise with only this time limit. */
    Call cut(Cut end, long limit) {
      return new Call(at, session, op, kind, amount, limit, -1, end);
    }
  }

  /**
   * Blocking calls of one thread, one after the other.
   *
   * @param op the unique number of the first call; the others follow
   * @param calls the number of calls
   * @param gap the nanoseconds between two calls
   * @param timeout the timeout of each call in nanoseconds; 0 for the session's default
   */
  record Chain(long at, int session, long op, int calls, long gap, long timeout) implements Step {
    @Override
    public Chain of(int other) {
      return new Chain(at, other, op, calls, gap, timeout);
    }
  }

  /** The called method. */
  enum CallKind {
    COUNT,
    COUNT_NOW,
    ECHO,
    /** An echo with compressible content. */
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
   * @param op the unique number
   * @param length the length of the object
   * @param timeout the timeout in nanoseconds; 0 for none
   * @param cancelAfter the nanoseconds until it is cancelled; -1 for never
   * @param cut the stage at which it is ended; null for none
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

    /** Returns this transfer, begun by the other end. */
    Move back() {
      return new Move(
          at, session, op, kind.back(), landing, length, checksum, timeout, cancelAfter, cut);
    }

    Move into(LandingKind other) {
      return new Move(at, session, op, kind, other, length, checksum, timeout, cancelAfter, cut);
    }

    /** Returns this step with a cut at a stage, and otherwise with only this time limit. */
    Move cut(Cut end, long limit) {
      return new Move(at, session, op, kind, landing, length, checksum, limit, -1, end);
    }
  }

  /**
   * The planned end of a call or transfer at a stage of its object.
   *
   * @param kind the way to end it
   */
  record Cut(Stage stage, CutKind kind) {}

  /** The stage of an object, as users see it. */
  enum Stage {
    /** The other end knows the object. */
    OFFERED,
    /** The first bytes are in their landing. */
    FIRST_LANDED,
    HALF_LANDED,
    /** The last bytes are in their landing, but this is not reported yet. */
    ALL_LANDED,
    /** The receiving end has the whole object, but the sending end does not know yet. */
    TAKEN
  }

  /** The way to end a call or transfer in progress. */
  enum CutKind {
    /** The end that began it cancels it. */
    CANCELLED_HERE,
    /** The other end cancels it. */
    CANCELLED_THERE,
    /** The deadline passes, because the end that began it stands still until then. */
    OUT_OF_TIME
  }

  /** The direction of an object. */
  enum MoveKind {
    FETCH,
    PUSH,
    /** The server fetches what its client has published. */
    FETCH_BACK,
    /** The server pushes to its client. */
    PUSH_BACK;

    /** Returns whether the server begins. */
    public boolean isBack() {
      return this == FETCH_BACK || this == PUSH_BACK;
    }

    /** Returns whether the end with the object begins. */
    public boolean isPush() {
      return this == PUSH || this == PUSH_BACK;
    }

    /** Returns this direction, begun by the other end. */
    MoveKind back() {
      return switch (this) {
        case FETCH -> FETCH_BACK;
        case PUSH -> PUSH_BACK;
        case FETCH_BACK -> FETCH;
        case PUSH_BACK -> PUSH;
      };
    }
  }

  /** The kind of {@link Landing}. */
  enum LandingKind {
    MEMORY,
    POOLED,
    CHUNKS,
    /** A file that appears when it is whole. It has checksums, which is the default. */
    FILE
  }

  /**
   * A call with streams.
   *
   * @param op the unique number
   * @param ending the end of the stream. If there are two, it is that of the returned stream
   * @param argumentsEnding the end of the stream of arguments, if there are two
   * @param items the number of items that the publisher would send
   * @param itemBytes the bytes of each item
   * @param until the number of items before an ending other than {@link StreamEnding#WELL}
   * @param ask the number of items that the subscriber requests at a time
   * @param pace the nanoseconds between two items of the publisher; 0 for none
   * @param rest the nanoseconds until the subscriber requests more; 0 for none
   * @param timeout the timeout of the call in nanoseconds; 0 for none
   * @param cancelAfter the nanoseconds until the caller cancels it; -1 for never
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

  /** The direction of items. */
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

  /** The planned end of a stream. */
  enum StreamEnding {
    /** The publisher completes. */
    WELL,
    /** The subscriber cancels. */
    CANCELLED,
    /** The publisher fails. */
    FAILED,
    /** The publisher sends no more, without an end. */
    SILENT,
    /** The subscriber requests no more. */
    LEFT,
    /** There is no subscriber. */
    IGNORED
  }

  /**
   * An exposure of memory.
   *
   * @param op the unique number
   * @param back whether the client exposes it; else the server
   * @param shared whether its process also exposes the memory to other peers
   * @param access the access, as in {@link io.verbena.api.region.Regions}
   * @param lease the lease in nanoseconds
   * @param renewAfter the nanoseconds until the lease is renewed; -1 for never
   * @param closeAfter the nanoseconds until the owner closes it; -1 for never
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
   * An access to exposed memory of the peer.
   *
   * @param op the unique number
   * @param region the number of the exposure
   * @param place the index of the word, or of the pair of a flag and its data
   * @param timeout the timeout in nanoseconds; 0 for the session's default
   * @param cancelAfter the nanoseconds until it is cancelled; -1 for never
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

  /** The operation on exposed memory of the peer. */
  enum ReachKind {
    /** Adds its own bit to a word that other operations only read or add to. */
    ADD,
    /** Exchanges a word, which only exchanges change, for a unique value. */
    EXCHANGE,
    /** Exchanges a word in the same way, but returns only whether it was changed. */
    SET,
    /** Writes a unique value to a word, which only writes change. */
    PUT,
    GET_ADDED,
    GET_EXCHANGED,
    GET_PUT,
    /** Writes the data and then its flag, by one request. */
    PUT_PAIR,
    /** Reads the flag and then the data, by one request. */
    GET_PAIR,
    /** Reads constant bytes. */
    GET_LONG,
    /** Reads beyond the end, with a forged ref that claims more bytes. */
    GET_BEYOND,
    /** Accesses memory without permission, with a forged ref that claims it. */
    WITHOUT_RIGHT,
    WITH_WRONG_KEY
  }

  /**
   * A fault.
   *
   * @param session the session whose ends it hits
   * @param nanos the duration
   * @param amount the amount, by the kind
   * @param aim the phase of the session that it waits for, up to a limit; null for none
   */
  record Fault(long at, FaultKind kind, int session, long nanos, long amount, @Nullable Phase aim)
      implements Step {
    /** Makes a fault that waits for no phase. */
    public Fault(long at, FaultKind kind, int session, long nanos, long amount) {
      this(at, kind, session, nanos, amount, null);
    }

    @Override
    public Fault of(int other) {
      return new Fault(at, kind, other, nanos, amount, aim);
    }

    /** Returns the fault of shared memory for this fault of a device or the fabric. */
    Fault overSharedMemory() {
      return new Fault(at, kind.overSharedMemory(), session, nanos, amount, aim);
    }
  }

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
    /** Bytes in shared memory wake loops late. */
    SHM_LATE,
    /** Neither shared memory nor connecting peers wake the loops of one end. */
    SHM_UNHEARD,
    /** The files of links that are being opened are removed. */
    SHM_REMOVED,
    /** The server offers no link through shared memory. */
    SHM_REFUSED;

    /** The faults of plans with RDMA. */
    public static final Set<FaultKind> WITH_RDMA = EnumSet.range(STREAM_RESET, SERVER_DRAINS);

    /** The faults of plans with shared memory. */
    public static final Set<FaultKind> WITH_SHM =
        EnumSet.copyOf(
            Arrays.stream(values()).map(FaultKind::overSharedMemory).collect(Collectors.toSet()));

    /** Returns whether an end receives late, or for a while nothing. */
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
