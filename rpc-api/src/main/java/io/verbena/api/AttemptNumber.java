package io.verbena.api;

/**
 * Which attempt at a call one is, of those that a channel makes at several servers. The second and
 * each later one says so in its metadata, so that both ends can tell what was moved, made again or
 * hedged. Stateless.
 */
public final class AttemptNumber {
  private static final int FIRST = 1;
  private static final int MOST_DIGITS = 9;
  private static final Metadata.Key<String> KEY = Metadata.Key.text("verbena-attempt");

  private AttemptNumber() {}

  /**
   * Returns which attempt brought these metadata, from 1. What a peer has made up is an attempt
   * like the first.
   */
  public static int of(Metadata metadata) {
    String told = metadata.isEmpty() ? null : metadata.get(KEY);
    if (told == null || told.length() > MOST_DIGITS || !told.matches("[1-9][0-9]*")) {
      return FIRST;
    }
    return Integer.parseInt(told);
  }

  /**
   * Returns metadata that say which attempt they go with: the same for the first one, and where
   * there is no room for more.
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
