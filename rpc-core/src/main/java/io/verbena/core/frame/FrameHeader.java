package io.verbena.core.frame;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The head of every frame, three words, big-endian:
 *
 * <pre>
 *  byte  0        1        2        3        4        5        6        7
 *     +--------+--------+--------+--------+-----------------------------------+
 *   0 | version| kind   | flags  | link   | sequence number, its lower half   |
 *     +--------+--------+--------+--------+-----------------------------------+
 *   8 | acknowledged, its lower half      | time left, or the link's epoch    |
 *     +-----------------------------------+-----------------+-----------------+
 *  16 | call id, counted by the caller from 1; 0: no call   | method          |
 *     +-----------------------------------------------------+-----------------+
 *  24 | body …                                                                |
 * </pre>
 *
 * <p>Sequence numbers count within the session and direction, from 1; 0: not sequenced. All frames
 * up to the acknowledged number have been received. Of both numbers the lower half is enough: the
 * other end knows the number to within {@code 2^31}. The link is the lowest bits of its epoch,
 * which counts the links that the session has had: a frame of an older link is recognised.
 *
 * <p>{@link FrameKind#REQUEST} and {@link FrameKind#ONEWAY} say the {@linkplain #timeLeft time
 * left} and the method, by its place among those that the other end serves ({@link
 * OfferedService}); their bodies are the arguments. The frames that open a session say the link's
 * whole epoch.
 *
 * <p>With {@link #FLAG_FIRST_FRAGMENT} the body starts with the whole body's length (4 bytes), and
 * further pieces follow as {@link FrameKind#FRAGMENT} with the sequence numbers that come next.
 */
public final class FrameHeader {
  /**
   * The version of the protocol that this code speaks. In each version HELLO and REFUSED are read
   * alike, so that ends of different versions say so in words; that began anew with 3, where the
   * header has 24 bytes. Since 2, BULK_SENT comes only where a checksum is compared or an object
   * has no bytes.
   */
  public static final int VERSION = 3;

  /** How long a header is. */
  public static final int BYTES = 24;

  /** The body is the first piece of a longer one. */
  public static final int FLAG_FIRST_FRAGMENT = 1;

  /** The body ends with a table of values that travel beside it, as bulk. */
  public static final int FLAG_PARTS = 2;

  /**
   * The body of a call, or of what became of it, ends with a {@link
   * io.verbena.codec.MetadataBlock}.
   */
  public static final int FLAG_METADATA = 4;

  /**
   * The body of a call, or of what became of it, is {@linkplain io.verbena.codec.Compression
   * compressed}, but for its metadata; where the peer {@linkplain PeerLimits#takesLz4 takes that}.
   */
  public static final int FLAG_COMPRESSED = 8;

  /** As time left: it takes as long as it takes. */
  public static final int UNTOLD = -1;

  /** The most methods that an end serves. */
  public static final int MOST_METHODS = 1 << 16;

  /** A frame of a session with any other is refused: what it says of its body is not understood. */
  private static final int KNOWN_FLAGS =
      FLAG_FIRST_FRAGMENT | FLAG_PARTS | FLAG_METADATA | FLAG_COMPRESSED;

  private static final int FLAGS_SHIFT = 40;
  private static final int LINK_SHIFT = 32;
  private static final int METHOD_BITS = 16;
  private static final long MOST_MICROS = 0xffff_ffffL;
  private static final long UNTOLD_NANOS = Long.MAX_VALUE / 4;
  private static final int SECOND = 8;
  private static final int THIRD = 16;

  /** Of the first word, the bits that are the same in each frame of a link that is understood. */
  private static final long FIXED =
      0xffL << 56 | (~KNOWN_FLAGS & 0xffL) << FLAGS_SHIFT | 0xffL << LINK_SHIFT;

  private FrameHeader() {}

  // ---- writing ----

  /** Returns of the first word what is known when a message is made. */
  public static long first(FrameKind kind, int flags) {
    return (long) VERSION << 56 | (long) kind.code() << 48 | (flags & 0xffL) << FLAGS_SHIFT;
  }

  /** Returns a first word with more flags. */
  public static long withFlags(long first, int flags) {
    return first | (flags & 0xffL) << FLAGS_SHIFT;
  }

  /** Returns a first word without some flags. */
  public static long withoutFlags(long first, int flags) {
    return first & ~((flags & 0xffL) << FLAGS_SHIFT);
  }

  /** Returns the third word. */
  public static long third(long callId, int method) {
    return callId << METHOD_BITS | method;
  }

  /**
   * Returns how a header says the time that a request has left when its frame leaves: microseconds
   * in 32 bits, unsigned. All ones say 71 minutes or more, or {@link #UNTOLD}, as for a one-way
   * call.
   */
  public static int timeLeft(long nanos) {
    return (int) Math.max(0, Math.min(MOST_MICROS, nanos / 1000));
  }

  /** Returns what of a time is left when so much has passed, if it is known. */
  public static int timeLeftAfter(int left, long nanos) {
    return left == UNTOLD ? UNTOLD : timeLeft(nanosLeft(left) - nanos);
  }

  /**
   * Writes a header, when the frame is handed to a link.
   *
   * @param first what is known of the first word
   * @param sequence the frame's number; 0: not sequenced
   * @param about the time left, or the epoch
   */
  public static void write(
      ByteBuffer frame,
      long first,
      int epoch,
      long sequence,
      long acknowledged,
      int about,
      long third) {
    frame.putLong(0, first | (epoch & 0xffL) << LINK_SHIFT | (sequence & 0xffff_ffffL));
    frame.putLong(SECOND, acknowledged << 32 | (about & 0xffff_ffffL));
    frame.putLong(THIRD, third);
  }

  // ---- reading ----

  /** Returns the first word of the frame at this index. */
  public static long first(ByteBuffer buffer, int from) {
    return buffer.getLong(from);
  }

  /** Returns the second word. */
  public static long second(ByteBuffer buffer, int from) {
    return buffer.getLong(from + SECOND);
  }

  /** Returns the third word. */
  public static long third(ByteBuffer buffer, int from) {
    return buffer.getLong(from + THIRD);
  }

  /** Returns why a frame with this first word is not understood on a link; null if it is. */
  public static @Nullable String misfit(long first, int epoch) {
    if ((first & FIXED) == ((long) VERSION << 56 | (epoch & 0xffL) << LINK_SHIFT)) {
      return null;
    }
    if (version(first) != VERSION) {
      return "a frame of version " + version(first);
    }
    return (flags(first) & ~KNOWN_FLAGS) != 0
        ? "a frame with unknown flags " + (flags(first) & ~KNOWN_FLAGS)
        : "a frame of link " + ((int) (first >>> LINK_SHIFT) & 0xff) + " on link " + epoch;
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
    return (int) (first >>> FLAGS_SHIFT) & 0xff;
  }

  /** Returns the number whose lower half a word says, and which is near another. */
  public static long near(long known, int lower) {
    return known + (lower - (int) known);
  }

  /** Returns the lower half of the frame's sequence number. */
  public static int sequence(long first) {
    return (int) first;
  }

  /** Returns the lower half of what the frame's sender has received. */
  public static int acknowledged(long second) {
    return (int) (second >>> 32);
  }

  /** Returns the time left, or the epoch. */
  public static int about(long second) {
    return (int) second;
  }

  /** Returns a time left in nanoseconds; very many where the caller has not said how many. */
  public static long nanosLeft(int left) {
    return left == UNTOLD ? UNTOLD_NANOS : Integer.toUnsignedLong(left) * 1000;
  }

  /** Returns the call id. */
  public static long callId(long third) {
    return third >>> METHOD_BITS;
  }

  /** Returns the method's place. */
  public static int method(long third) {
    return (int) third & (MOST_METHODS - 1);
  }
}
