package io.verbena.bench.load;

/** What one call of a load does. */
public enum Kind {
  /** Sends a message and gets one of the same size back. */
  CALL,
  /** Sends a message and gets eight bytes back. */
  PUSH,
  /** Asks for a message of the size. */
  PULL,
  /** Pushes a large object into memory of the other end. */
  PUT,
  /** Fetches a large object that the other end has published. */
  FETCH,
  /** Sends a message and gets nothing back. What is timed is the hand-over. */
  ONEWAY,
  /** A small call, while large objects of the size are pushed on the same session. */
  MIXED,
  /** Opens a session, waits for the path that is measured, makes one call and closes it again. */
  CONNECT;

  /** Bytes of a number, and of an answer that is nothing else. */
  public static final int NUMBER_BYTES = Long.BYTES;

  /** Bytes of a small call beside large objects. */
  public static final int SMALL_BYTES = 64;

  /** Returns the bytes that a call of this kind sends. */
  public int requestBytes(int size) {
    return switch (this) {
      case PULL, FETCH -> NUMBER_BYTES;
      case MIXED -> SMALL_BYTES;
      case CALL, PUSH, PUT, ONEWAY, CONNECT -> size;
    };
  }

  /** Returns the bytes that a call of this kind gets back. */
  public int replyBytes(int size) {
    return switch (this) {
      case CALL, PULL, FETCH, CONNECT -> size;
      case PUSH, PUT -> NUMBER_BYTES;
      case MIXED -> SMALL_BYTES;
      case ONEWAY -> 0;
    };
  }

  /** Returns whether large objects are moved, not messages. */
  public boolean movesObjects() {
    return this == PUT || this == FETCH;
  }

  /**
   * Returns the payload that a call moves, both directions together; beside objects the calls
   * alone.
   */
  public long payloadBytes(int size) {
    return switch (this) {
      case CALL, CONNECT -> 2L * size;
      case MIXED -> 2L * SMALL_BYTES;
      case PUSH, PULL, PUT, FETCH, ONEWAY -> size;
    };
  }
}
