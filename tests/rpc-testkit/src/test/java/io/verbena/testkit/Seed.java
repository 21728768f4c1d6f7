package io.verbena.testkit;

import java.util.Random;

/** Randomness that a failed test can be run again with. */
public final class Seed {
  private static final String PROPERTY = "verbena.seed";

  private Seed() {}

  /**
   * Returns a source of random numbers whose seed is printed; {@code -Dverbena.seed=N} sets it.
   *
   * @param what names the test in what is printed
   */
  public static Random random(String what) {
    return new Random(number(what));
  }

  /** Returns the seed itself, which is printed. */
  public static long number(String what) {
    long seed = Long.getLong(PROPERTY, System.nanoTime());
    System.out.println(what + ": replay with -D" + PROPERTY + "=" + seed);
    return seed;
  }
}
