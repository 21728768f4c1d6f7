package io.verbena.bench.verbena;

/**
 * Landings that a server keeps open to each session.
 *
 * @param count how many; 0 for none
 * @param bytes how long each is
 */
public record Standing(int count, int bytes) {
  /** None. */
  public static final Standing NONE = new Standing(0, 1);

  /** Returns them as users write them. */
  @Override
  public String toString() {
    return count + "x" + bytes;
  }
}
