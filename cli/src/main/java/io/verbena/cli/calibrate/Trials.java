package io.verbena.cli.calibrate;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Calls with values of several lengths, each on both sides of a cut-off. Every length and way has
 * its turn in every round, so that a processor that is slow for a while, or a JVM that is still
 * getting faster, is so for all of them.
 */
final class Trials {
  private static final int ROUNDS = 8;

  /** The first rounds do not count. */
  private static final int WARM_UP_ROUNDS = 4;

  private static final int SMALL_BYTES = 64;
  private static final int MOST_CALLS = 1 << 16;

  private final List<Integer> lengths;
  private final Duration time;

  /**
   * Calls that have not been made yet.
   *
   * @param lengths of their values
   * @param time how long those of one length take one way, at least
   */
  Trials(List<Integer> lengths, Duration time) {
    this.lengths = lengths;
    this.time = time;
  }

  /** One way of making a call. */
  interface Call {
    /** Makes a call with a value of its own, which is made before, and returns what it took. */
    long nanos(int bytes);

    /** With an array, which is never pinned. */
    static Call array(Scales scales) {
      return bytes -> {
        byte[] load = new byte[bytes];
        long start = System.nanoTime();
        long weight = scales.weigh(load);
        return passed(start, bytes, weight);
      };
    }

    /** With memory outside the heap that has been written, and that no call has pinned before. */
    static Call segment(Scales scales) {
      return bytes -> {
        try (Arena arena = Arena.ofShared()) {
          MemorySegment load = arena.allocate(bytes);
          long start = System.nanoTime();
          long weight = scales.weighSegment(load);
          return passed(start, bytes, weight);
        }
      };
    }

    private static long passed(long start, int bytes, long weight) {
      long nanos = System.nanoTime() - start;
      if (weight != bytes) {
        throw new IllegalStateException(bytes + " bytes arrived as others");
      }
      return nanos;
    }
  }

  /** Makes small calls both ways for a while. */
  static void warmUp(Scales inMessage, Scales beside, Duration time) {
    new Way(Call.array(beside), SMALL_BYTES).turn(time.dividedBy(2));
    new Way(Call.array(inMessage), SMALL_BYTES).turn(time.dividedBy(2));
  }

  /**
   * Makes them both ways.
   *
   * @param below the way of what is shorter than the cut-off
   * @param from the way of what is not
   */
  List<Reading.Trial> of(Call below, Call from) {
    List<Way> shorter = lengths.stream().map(bytes -> new Way(below, bytes)).toList();
    List<Way> longer = lengths.stream().map(bytes -> new Way(from, bytes)).toList();
    Duration turn = time.dividedBy(WARM_UP_ROUNDS + ROUNDS);
    for (int round = 0; round < WARM_UP_ROUNDS + ROUNDS; round++) {
      for (int i = 0; i < shorter.size(); i++) {
        shorter.get(i).turn(turn);
        longer.get(i).turn(turn);
      }
      if (round == WARM_UP_ROUNDS - 1) {
        shorter.forEach(Way::forget);
        longer.forEach(Way::forget);
      }
    }
    List<Reading.Trial> made = new ArrayList<>();
    for (int i = 0; i < shorter.size(); i++) {
      Way way = shorter.get(i);
      made.add(new Reading.Trial(way.bytes, way.median(), longer.get(i).median()));
    }
    return made;
  }

  /** Values of one length, one way. */
  private static final class Way {
    private final Call call;
    private final int bytes;
    private final long[] nanos = new long[MOST_CALLS];
    private int calls;

    Way(Call call, int bytes) {
      this.call = call;
      this.bytes = bytes;
    }

    /** Makes one call, and more while there is time. */
    void turn(Duration time) {
      long start = System.nanoTime();
      do {
        nanos[calls++ % MOST_CALLS] = call.nanos(bytes);
      } while (System.nanoTime() - start < time.toNanos());
    }

    void forget() {
      calls = 0;
    }

    double median() {
      int made = Math.min(calls, MOST_CALLS);
      long[] sorted = Arrays.copyOf(nanos, made);
      Arrays.sort(sorted);
      return sorted[made / 2];
    }
  }
}
