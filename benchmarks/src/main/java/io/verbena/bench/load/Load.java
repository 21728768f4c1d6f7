package io.verbena.bench.load;

import java.time.Duration;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * What is asked of a contestant in one turn.
 *
 * @param size bytes of a message, at least 8
 * @param outstanding calls under way at a time on each connection
 * @param ratePerSecond calls that are due each second, all connections together; 0: a call is due
 *     when another has ended
 * @param duration how long a turn is measured, where no count is given
 * @param count how many calls a turn makes; 0: as many as fit in the duration
 * @param memory for large objects
 * @param validate whether every byte of an answer is compared; its number and its length always are
 * @param checksum whether large objects are checksummed on their way
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
        "a load has a kind, callers, a handler, memory and a duration");
    require(size >= Kind.NUMBER_BYTES, "a message has at least 8 bytes, for its number");
    require(outstanding >= 1 && connections >= 1, "outstanding and connections are at least 1");
    require(ratePerSecond >= 0 && count >= 0, "a rate or a count is not negative");
    require(count > 0 || duration.isPositive(), "a turn needs a duration or a count");
  }

  private static void require(boolean holds, String message) {
    if (!holds) {
      throw new IllegalArgumentException(message);
    }
  }

  /** Returns whether calls are due at their time. */
  public boolean isPaced() {
    return ratePerSecond > 0;
  }

  /**
   * Returns how many calls a turn makes: the count; at a rate, as many as are due in the duration;
   * 0: as many as fit in it.
   */
  public long calls() {
    if (count > 0 || !isPaced()) {
      return count;
    }
    return Math.max(1, Math.round(ratePerSecond * duration.toNanos() / 1e9));
  }

  /** Returns one that small calls are measured by: closed loop, one connection. */
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

  /** Returns this load with other messages. */
  public Load withSize(int bytes) {
    return with(bytes, outstanding, mode, handler, duration, count, memory);
  }

  /** Returns this load with another number of calls under way. */
  public Load withOutstanding(int calls) {
    return with(size, calls, mode, handler, duration, count, memory);
  }

  /** Returns this load, called and handled in another way. */
  public Load with(Mode callers, Handler handlers) {
    return with(size, outstanding, callers, handlers, duration, count, memory);
  }

  /** Returns this load for another length of time, without a count. */
  public Load lasting(Duration time) {
    return with(size, outstanding, mode, handler, time, 0, memory);
  }

  /** Returns this load for so many calls, however long they take. */
  public Load counting(long calls) {
    return with(size, outstanding, mode, handler, duration, calls, memory);
  }

  /** Returns this load with objects that come from, and go to, somewhere else. */
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
