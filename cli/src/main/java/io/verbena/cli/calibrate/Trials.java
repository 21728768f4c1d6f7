package io.verbena.cli.calibrate;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Calls with their value in their message and beside it. Every length and way has its turn in every
 * round, so that a processor that is slow for a while, or a JVM that is still getting faster, is so
 * for all of them.
 */
final class Trials {
  private static final int ROUNDS = 8;

  /** The first rounds do not count. */
  private static final int WARM_UP_ROUNDS = 4;

  private static final int SMALL_BYTES = 64;
  private static final int MOST_CALLS = 1 << 16;

  private Trials() {}

  /** Makes small calls both ways for a while. */
  static void warmUp(Scales inMessage, Scales beside, Duration time) {
    new Way(beside, SMALL_BYTES).turn(time.dividedBy(2));
    new Way(inMessage, SMALL_BYTES).turn(time.dividedBy(2));
  }

  /**
   * Makes calls of every length both ways.
   *
   * @param time how long those of one length take one way, at least
   */
  static List<Reading.Trial> of(Scales inMessage, Scales beside, Duration time) {
    List<Way> in = Reading.LENGTHS.stream().map(bytes -> new Way(inMessage, bytes)).toList();
    List<Way> out = Reading.LENGTHS.stream().map(bytes -> new Way(beside, bytes)).toList();
    for (int round = 0; round < WARM_UP_ROUNDS + ROUNDS; round++) {
      for (int i = 0; i < in.size(); i++) {
        in.get(i).turn(time.dividedBy(WARM_UP_ROUNDS + ROUNDS));
        out.get(i).turn(time.dividedBy(WARM_UP_ROUNDS + ROUNDS));
      }
      if (round == WARM_UP_ROUNDS - 1) {
        in.forEach(Way::forget);
        out.forEach(Way::forget);
      }
    }
    List<Reading.Trial> made = new ArrayList<>();
    for (int i = 0; i < in.size(); i++) {
      Way way = in.get(i);
      made.add(new Reading.Trial(way.bytes, way.median(), out.get(i).median()));
    }
    return made;
  }

  /** Values of one length, one way. */
  private static final class Way {
    private final Scales scales;
    private final int bytes;
    private final long[] nanos = new long[MOST_CALLS];
    private int calls;

    Way(Scales scales, int bytes) {
      this.scales = scales;
      this.bytes = bytes;
    }

    /** Makes one call, and more while there is time. */
    void turn(Duration time) {
      byte[] load = new byte[bytes];
      long start = System.nanoTime();
      long now = start;
      do {
        long begin = now;
        if (scales.weigh(load) != bytes) {
          throw new IllegalStateException(bytes + " bytes arrived as others");
        }
        now = System.nanoTime();
        nanos[calls++ % MOST_CALLS] = now - begin;
      } while (now - start < time.toNanos());
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
