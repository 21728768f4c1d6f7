package io.verbena.bench.load;

/** The kind of a call in a load. */
public enum Kind {
  /** Sends a message and gets one of the same size back. */
  CALL,
  /** Sends a message and gets eight bytes back. */
  PUSH,
  /** Requests a message of the size. */
  PULL,
  /** Pushes a large object into memory of the other end. */
  PUT,
  /** Fetches a large object that the other end has published. */
  FETCH,
  /** Sends a message and gets nothing back. The hand-over of the message is timed. */
  ONEWAY,
  /** A small call, while large objects of the size are pushed on the same session. */
  MIXED,
  /** Opens a session, waits for the measured path, makes one call and closes the session. */
  CONNECT;

  /** Bytes of a number, and of an answer that consists of a number. */
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

  /** Returns whether the call moves large objects in place of messages. */
  public boolean movesObjects() {
    return this == PUT || this == FETCH;
  }

  /**
   * Returns the payload of a call in both directions together. For {@link #MIXED} it is that of the
   * small call alone.
   */
  public long payloadBytes(int size) {
    return switch (this) {
      case CALL, CONNECT -> 2L * size;
      case MIXED -> 2L * SMALL_BYTES;
      case PUSH, PULL, PUT, FETCH, ONEWAY -> size;
    };
  }
}
