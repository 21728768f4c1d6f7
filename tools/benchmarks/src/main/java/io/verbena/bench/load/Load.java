package io.verbena.bench.load;

import java.time.Duration;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * The work of a contestant in one turn.
 *
 * @param size the bytes of a message, at least 8
 * @param outstanding the number of concurrent calls on each connection
 * @param ratePerSecond the calls that are due each second, over all connections. With 0, a call is
 *     due when another has ended
 * @param duration the time of a turn, if there is no count
 * @param count the number of calls in a turn; 0 for as many as fit in the duration
 * @param memory the memory of large objects
 * @param validate whether every byte of an answer is compared. Number and length always are
 * @param checksum whether large objects are checksummed in transfer
 */
public record Load(
    Kind kind,
    int size,
    int outstanding,
    int connections,
    Mode mode,
    Handler handler,
    double ratePerSecond,
    Duration duration,
    long count,
    Memory memory,
    boolean validate,
    boolean checksum) {
  /** Checks every value. */
  public Load {
    require(
        Stream.of(kind, mode, handler, memory, duration).noneMatch(Objects::isNull),
        "a load needs a kind, callers, a handler, memory and a duration");
    require(size >= Kind.NUMBER_BYTES, "a message needs at least 8 bytes, for its number");
    require(outstanding >= 1 && connections >= 1, "outstanding and connections must be at least 1");
    require(ratePerSecond >= 0 && count >= 0, "a rate or a count must not be negative");
    require(count > 0 || duration.isPositive(), "a turn needs a duration or a count");
  }

  private static void require(boolean holds, String message) {
    if (!holds) {
      throw new IllegalArgumentException(message);
    }
  }

  /** Returns whether calls are due at a fixed rate. */
  public boolean isPaced() {
    return ratePerSecond > 0;
  }

  /**
   * Returns the number of calls in a turn. It is the count, or the calls that are due in the
   * duration at a rate, or 0 for as many as fit in the duration.
   */
  public long calls() {
    if (count > 0 || !isPaced()) {
      return count;
    }
    return Math.max(1, Math.round(ratePerSecond * duration.toNanos() / 1e9));
  }

  /** Returns a simple load: closed loop, one connection. */
  public static Load of(Kind kind, int size, int outstanding, Duration duration) {
    return new Load(
        kind,
        size,
        outstanding,
        1,
        Mode.ASYNC,
        Handler.NONBLOCKING,
        0,
        duration,
        0,
        Memory.WARM,
        false,
        false);
  }

  /** Returns this load with messages of another size. */
  public Load withSize(int bytes) {
    return with(bytes, outstanding, mode, handler, duration, count, memory);
  }

  /** Returns this load with another number of concurrent calls. */
  public Load withOutstanding(int calls) {
    return with(size, calls, mode, handler, duration, count, memory);
  }

  /** Returns this load with other callers and handlers. */
  public Load with(Mode callers, Handler handlers) {
    return with(size, outstanding, callers, handlers, duration, count, memory);
  }

  /** Returns this load with another duration, without a count. */
  public Load lasting(Duration time) {
    return with(size, outstanding, mode, handler, time, 0, memory);
  }

  /** Returns this load with a number of calls, which may take any time. */
  public Load counting(long calls) {
    return with(size, outstanding, mode, handler, duration, calls, memory);
  }

  /** Returns this load with other memory for objects. */
  public Load with(Memory where) {
    return with(size, outstanding, mode, handler, duration, count, where);
  }

  private Load with(
      int bytes,
      int calls,
      Mode callers,
      Handler handlers,
      Duration time,
      long calling,
      Memory where) {
    return new Load(
        kind,
        bytes,
        calls,
        connections,
        callers,
        handlers,
        ratePerSecond,
        time,
        calling,
        where,
        validate,
        checksum);
  }
}
