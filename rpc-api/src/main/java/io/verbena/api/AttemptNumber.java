package io.verbena.api;

/**
 * The number of an attempt. A channel may attempt one call at several servers. The second and each
 * later attempt carry their number in the metadata, so that both ends can see that a call was
 * moved, retried or hedged. Stateless.
 */
public final class AttemptNumber {
  private static final int FIRST = 1;
  private static final int MOST_DIGITS = 9;
  private static final Metadata.Key<String> KEY = Metadata.Key.reserved("verbena-attempt");

  private AttemptNumber() {}

  /**
   * Returns the number of the attempt that carried these metadata, from 1. Returns 1 if they
   * contain no valid number.
   */
  public static int of(Metadata metadata) {
    String told = metadata.isEmpty() ? null : metadata.get(KEY);
    if (told == null || told.length() > MOST_DIGITS || !told.matches("[1-9][0-9]*")) {
      return FIRST;
    }
    return Integer.parseInt(told);
  }

  /**
   * Returns these metadata with the number of the attempt. Returns them unchanged for the first
   * attempt, or if there is no room for one more value.
   *
   * @param number from 1
   */
  public static Metadata mark(Metadata metadata, int number) {
    if (number <= FIRST) {
      return metadata;
    }
    Metadata marked = metadata.with(KEY, Integer.toString(number));
    boolean fits = marked.byteSize() <= Metadata.MAX_BYTES && marked.size() <= Metadata.MAX_ENTRIES;
    return fits ? marked : metadata;
  }
}
