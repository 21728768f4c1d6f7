package io.verbena.core.frame;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The header of every frame, three big-endian words:
 *
 * <pre>
 *  byte  0        1        2        3        4        5        6        7
 *     +--------+--------+--------+--------+-----------------------------------+
 *   0 | version| kind   | flags  | link   | lower half of sequence number     |
 *     +--------+--------+--------+--------+-----------------------------------+
 *   8 | lower half of acknowledged number | time left, or the link's epoch    |
 *     +-----------------------------------+-----------------+-----------------+
 *  16 | call id, counted by the caller from 1; 0: no call   | method          |
 *     +-----------------------------------------------------+-----------------+
 *  24 | body …                                                                |
 * </pre>
 *
 * <p>Sequence numbers count from 1 in each direction of a session; 0 means not numbered. All frames
 * up to the acknowledged number have been received. The header contains the lower half of both
 * numbers, which suffices because the other end knows them to within {@code 2^31}. The link byte is
 * the lowest bits of the link's epoch, which counts the links of the session. So a frame of an
 * older link is recognised.
 *
 * <p>{@link FrameKind#REQUEST} and {@link FrameKind#ONEWAY} contain the {@linkplain #timeLeft time
 * left} and the method, as its index among the methods that the other end serves ({@link
 * OfferedService}). Their bodies are the arguments. The frames that open a session contain the
 * link's whole epoch.
 *
 * <p>With {@link #FLAG_FIRST_FRAGMENT} the body starts with the whole body's length (4 bytes), and
 * further pieces follow as {@link FrameKind#FRAGMENT} with the next sequence numbers.
 */
public final class FrameHeader {
  /**
   * The protocol version of this code. HELLO and REFUSED have the same layout in all versions from
   * 3, whose header has 24 bytes, so that ends of different versions can exchange a readable
   * refusal. Since version 2, BULK_SENT is sent only if a checksum is compared or the object is
   * empty.
   */
  public static final int VERSION = 3;

  /** The length of a header in bytes. */
  public static final int BYTES = 24;

  /** The body is the first piece of a longer one. */
  public static final int FLAG_FIRST_FRAGMENT = 1;

  /** The body ends with a table of large values that travel beside it. */
  public static final int FLAG_LARGE_VALUES = 2;

  /** The body of a call or of its outcome ends with a {@link io.verbena.codec.MetadataBlock}. */
  public static final int FLAG_METADATA = 4;

  /**
   * The body of a call or of its outcome is {@linkplain io.verbena.codec.Compression compressed},
   * except its metadata. It is used if the peer {@linkplain PeerLimits#takesLz4 accepts it}.
   */
  public static final int FLAG_COMPRESSED = 8;

  /** A time left without limit. */
  public static final int UNTOLD = -1;

  /** The largest number of methods that an end serves. */
  public static final int MOST_METHODS = 1 << 16;

  /**
   * The known flags. A frame with any other flag is refused, because its body cannot be understood.
   */
  private static final int KNOWN_FLAGS =
      FLAG_FIRST_FRAGMENT | FLAG_LARGE_VALUES | FLAG_METADATA | FLAG_COMPRESSED;

  private static final int FLAGS_SHIFT = 40;
  private static final int LINK_SHIFT = 32;
  private static final int METHOD_BITS = 16;
  private static final long MOST_MICROS = 0xffff_ffffL;
  private static final long UNTOLD_NANOS = Long.MAX_VALUE / 4;
  private static final int SECOND = 8;
  private static final int THIRD = 16;

  /** The bits of the first word that are the same in every valid frame of a link. */
  private static final long FIXED =
      0xffL << 56 | (~KNOWN_FLAGS & 0xffL) << FLAGS_SHIFT | 0xffL << LINK_SHIFT;

  private FrameHeader() {}

  // ---- writing ----

  /** Returns the part of the first word that is known when a message is made. */
  public static long first(FrameKind kind, int flags) {
    return (long) VERSION << 56 | (long) kind.code() << 48 | (flags & 0xffL) << FLAGS_SHIFT;
  }

  public static long withFlags(long first, int flags) {
    return first | (flags & 0xffL) << FLAGS_SHIFT;
  }

  public static long withoutFlags(long first, int flags) {
    return first & ~((flags & 0xffL) << FLAGS_SHIFT);
  }

  public static long third(long callId, int method) {
    return callId << METHOD_BITS | method;
  }

  /**
   * Returns the encoding of the time that a request has left when its frame is sent: unsigned
   * microseconds in 32 bits. All ones mean 71 minutes or more, or {@link #UNTOLD}, as for a one-way
   * call.
   */
  public static int timeLeft(long nanos) {
    return (int) Math.max(0, Math.min(MOST_MICROS, nanos / 1000));
  }

  /** Returns an encoded time left after so many nanoseconds, if it is limited. */
  public static int timeLeftAfter(int left, long nanos) {
    return left == UNTOLD ? UNTOLD : timeLeft(nanosLeft(left) - nanos);
  }

  /**
   * Writes a header when the frame is handed to a link.
   *
   * @param first the known part of the first word
   * @param sequence the frame's number; 0 for none
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

  public static long second(ByteBuffer buffer, int from) {
    return buffer.getLong(from + SECOND);
  }

  public static long third(ByteBuffer buffer, int from) {
    return buffer.getLong(from + THIRD);
  }

  /**
   * Returns the reason why a frame with this first word is invalid on a link; null if it is valid.
   */
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

  public static int version(long first) {
    return (int) (first >>> 56);
  }

  public static int kindCode(long first) {
    return (int) (first >>> 48) & 0xff;
  }

  public static int flags(long first) {
    return (int) (first >>> FLAGS_SHIFT) & 0xff;
  }

  /** Returns the number with this lower half that is nearest to a known number. */
  public static long near(long known, int lower) {
    return known + (lower - (int) known);
  }

  /** Returns the lower half of the frame's sequence number. */
  public static int sequence(long first) {
    return (int) first;
  }

  /** Returns the lower half of the acknowledged number. */
  public static int acknowledged(long second) {
    return (int) (second >>> 32);
  }

  /** Returns the time left, or the epoch. */
  public static int about(long second) {
    return (int) second;
  }

  /** Returns a time left in nanoseconds; a very long time if it has no limit. */
  public static long nanosLeft(int left) {
    return left == UNTOLD ? UNTOLD_NANOS : Integer.toUnsignedLong(left) * 1000;
  }

  public static long callId(long third) {
    return third >>> METHOD_BITS;
  }

  public static int method(long third) {
    return (int) third & (MOST_METHODS - 1);
  }
}
