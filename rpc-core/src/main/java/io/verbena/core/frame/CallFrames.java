package io.verbena.core.frame;

import io.verbena.api.wire.WireOut;
import java.nio.ByteBuffer;

/**
 * The body of {@link FrameKind#REQUEST} and {@link FrameKind#ONEWAY}, big-endian:
 *
 * <pre>
 *   0  time left until the caller's deadline, microseconds, unsigned; all ones: 71 minutes or more,
 *      or nobody waits, as for a one-way call (4 bytes)
 *   4  service id: the hash code of its name, as java.lang.String defines it (4 bytes)
 *   8  method id (var int), then the arguments
 * </pre>
 */
public final class CallFrames {
  /** How long the part before the method id is. */
  public static final int FIXED_BYTES = 8;

  private static final int SERVICE = 4;
  private static final long MOST_MICROS = 0xffff_ffffL;
  private static final long UNTOLD_NANOS = Long.MAX_VALUE / 4;

  private CallFrames() {}

  /** Begins a request's body; the time left is written when the frame leaves. */
  public static void begin(WireOut body, int service) {
    body.writeLong(Integer.toUnsignedLong(service));
  }

  /** Returns the service id of a request's body. */
  public static int service(ByteBuffer frame, int body) {
    return frame.getInt(body + SERVICE);
  }

  /** Writes the time left into a request's body. */
  public static void remaining(ByteBuffer frame, int body, long nanos) {
    frame.putInt(body, (int) Math.max(0, Math.min(MOST_MICROS, nanos / 1000)));
  }

  /** Writes into a request's body that its caller waits as long as it takes, or not at all. */
  public static void unlimited(ByteBuffer frame, int body) {
    frame.putInt(body, (int) MOST_MICROS);
  }

  /** Takes what has passed since a request arrived off the time it has left, if that is known. */
  public static void elapsed(ByteBuffer frame, int body, long nanos) {
    long left = remainingNanos(frame, body);
    if (left != UNTOLD_NANOS) {
      remaining(frame, body, left - nanos);
    }
  }

  /**
   * Returns the nanoseconds left to a request; very many where its caller has not said how many.
   */
  public static long remainingNanos(ByteBuffer frame, int body) {
    long micros = frame.getInt(body) & MOST_MICROS;
    return micros == MOST_MICROS ? UNTOLD_NANOS : micros * 1000;
  }
}
