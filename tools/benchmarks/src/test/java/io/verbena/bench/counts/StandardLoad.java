package io.verbena.bench.counts;

/** What is counted: always the same, so that counts of different builds can be compared. */
public enum StandardLoad {
  /** One call at a time, each begun when nothing is left to do of the one before. */
  CALL("call of 64 B", Kind.CALL, 64, 1, 256),

  /** Many calls at a time, begun together. */
  CALLS("call of 64 B, 256 at a time", Kind.CALL, 64, 256, 1024),

  /** Many one-way calls at a time, begun together. */
  ONEWAY("one-way call of 64 B, 256 at a time", Kind.ONEWAY, 64, 256, 1024),

  /** An object for the server. */
  PUT_64K("put of 64 KiB", Kind.PUT, 64 << 10, 1, 16),

  /** An object for the server. */
  PUT_1M("put of 1 MiB", Kind.PUT, 1 << 20, 1, 16),

  /** An object for the server. */
  PUT_16M("put of 16 MiB", Kind.PUT, 16 << 20, 1, 2),

  /** An object from the server. */
  FETCH_64K("fetch of 64 KiB", Kind.FETCH, 64 << 10, 1, 16),

  /** An object from the server. */
  FETCH_1M("fetch of 1 MiB", Kind.FETCH, 1 << 20, 1, 16),

  /** An object from the server. */
  FETCH_16M("fetch of 16 MiB", Kind.FETCH, 16 << 20, 1, 2),

  /** A long argument of a call. */
  VALUE_16M("call with a byte[] of 16 MiB", Kind.VALUE, 16 << 20, 1, 2);

  /** How bytes are moved. */
  enum Kind {
    CALL,
    ONEWAY,
    PUT,
    FETCH,
    VALUE
  }

  private final String title;
  private final Kind kind;
  private final int size;
  private final int together;
  private final int operations;

  StandardLoad(String title, Kind kind, int size, int together, int operations) {
    this.title = title;
    this.kind = kind;
    this.size = size;
    this.together = together;
    this.operations = operations;
  }

  /** Returns it in words, for tables. */
  public String title() {
    return title;
  }

  Kind kind() {
    return kind;
  }

  /** Returns how many bytes an operation moves one way. */
  int size() {
    return size;
  }

  /** Returns whether it moves so much that costs per MiB say something. */
  boolean isLarge() {
    return size >= 64 << 10;
  }

  /** Returns how many operations are begun together. */
  int together() {
    return together;
  }

  /** Returns over how many operations costs are counted, a multiple of {@link #together}. */
  int operations() {
    return operations;
  }
}
