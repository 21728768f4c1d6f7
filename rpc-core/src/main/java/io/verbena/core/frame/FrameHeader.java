package io.verbena.core.frame;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The head of every frame, big-endian:
 *
 * <pre>
 *  byte  0        1        2        3        4        5        6        7
 *     +--------+--------+-----------------+-----------------------------------+
 *   0 | version| kind   | flags           | link epoch                        |
 *     +--------+--------+-----------------+-----------------------------------+
 *   8 | sequence number within the session and direction; 0: not sequenced    |
 *     +-----------------------------------------------------------------------+
 *  16 | highest sequence number received in order: all up to it are here      |
 *     +-----------------------------------------------------------------------+
 *  24 | call id, counted by the caller from 1; 0: no call                     |
 *     +-----------------------------------------------------------------------+
 *  32 | body …                                                                |
 * </pre>
 *
 * <p>The epoch counts the links that the session has had: a frame of an older link is recognised.
 * With {@link #FLAG_FIRST_FRAGMENT} the body starts with the whole body's length (4 bytes), and
 * further pieces follow as {@link FrameKind#FRAGMENT} with the sequence numbers that come next.
 */
public final class FrameHeader {
  /**
   * The version of the protocol that this code speaks. In each version HELLO and REFUSED are read
   * alike, so that ends of different versions say so in words. Since 2, BULK_SENT comes only where
   * a checksum is compared or an object has no bytes.
   */
  public static final int VERSION = 2;

  /** How long a header is. */
  public static final int BYTES = 32;

  /** The body is the first piece of a longer one. */
  public static final int FLAG_FIRST_FRAGMENT = 1;

  /** The body ends with a table of values that travel beside it, as bulk. */
  public static final int FLAG_PARTS = 2;

  /**
   * Reserved: metadata stand before the body. A frame of a session with a flag that this version
   * does not know, as this one, is refused: what it says about the body is not understood.
   */
  public static final int FLAG_METADATA = 4;

  private static final int KNOWN_FLAGS = FLAG_FIRST_FRAGMENT | FLAG_PARTS;

  /**
   * Of the first word, the bits that are the same in each frame of a session that is understood.
   */
  private static final long FIXED = 0xffL << 56 | (~KNOWN_FLAGS & 0xffffL) << 32;

  private static final int FLAGS = 2;
  private static final int EPOCH = 4;
  private static final int SEQUENCE = 8;
  private static final int ACKNOWLEDGED = 16;
  private static final int CALL_ID = 24;

  private FrameHeader() {}

  /** Writes what is known when a message is made; the rest is set by {@link #stamp}. */
  public static void write(ByteBuffer frame, FrameKind kind, int flags, long callId) {
    frame.putLong(0, (long) VERSION << 56 | (long) kind.code() << 48 | (flags & 0xffffL) << 32);
    frame.putLong(SEQUENCE, 0);
    frame.putLong(CALL_ID, callId);
  }

  /** Sets the call id. */
  public static void writeCallId(ByteBuffer frame, long callId) {
    frame.putLong(CALL_ID, callId);
  }

  /** Sets the flags. */
  public static void writeFlags(ByteBuffer frame, int flags) {
    frame.putShort(FLAGS, (short) flags);
  }

  /** Sets the sequence number. */
  public static void number(ByteBuffer frame, long sequence) {
    frame.putLong(SEQUENCE, sequence);
  }

  /** Sets what is known when a frame is handed to a link. */
  public static void stamp(ByteBuffer frame, int epoch, long acknowledged) {
    frame.putInt(EPOCH, epoch);
    frame.putLong(ACKNOWLEDGED, acknowledged);
  }

  /** Returns the first word of the frame at this index, which the next four methods take apart. */
  public static long first(ByteBuffer buffer, int from) {
    return buffer.getLong(from);
  }

  /** Returns why a frame of a session with this first word is not understood; null if it is. */
  public static @Nullable String misfit(long first) {
    if ((first & FIXED) == (long) VERSION << 56) {
      return null;
    }
    return version(first) == VERSION
        ? "a frame with unknown flags " + (flags(first) & ~KNOWN_FLAGS)
        : "a frame of version " + version(first);
  }

  /** Returns the version of a frame with this first word. */
  public static int version(long first) {
    return (int) (first >>> 56);
  }

  /** Returns the code of the frame's kind. */
  public static int kindCode(long first) {
    return (int) (first >>> 48) & 0xff;
  }

  /** Returns the frame's flags. */
  public static int flags(long first) {
    return (int) (first >>> 32) & 0xffff;
  }

  /** Returns the frame's link epoch. */
  public static int epoch(long first) {
    return (int) first;
  }

  /** Returns the frame's sequence number. */
  public static long sequence(ByteBuffer buffer, int from) {
    return buffer.getLong(from + SEQUENCE);
  }

  /** Returns what the frame's sender has received. */
  public static long acknowledged(ByteBuffer buffer, int from) {
    return buffer.getLong(from + ACKNOWLEDGED);
  }

  /** Returns the frame's call id. */
  public static long callId(ByteBuffer buffer, int from) {
    return buffer.getLong(from + CALL_ID);
  }
}
