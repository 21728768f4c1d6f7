package io.verbena.rdma.wire;

import java.nio.ByteBuffer;

/**
 * The layout of a Send, in network order. Every Send returns the credit that its sender owes.
 *
 * <pre>
 *  0        1                 2                 4                8
 *  +--------+-----------------+-----------------+----------------+----------+ ... +--------+-----+
 *  | kind   | control credits | frame credits   | length of the  | frame    |     | length |frame|
 *  |        | returned        | returned        | first frame    |          |     |        |     |
 *  +--------+-----------------+-----------------+----------------+----------+ ... +--------+-----+
 *  |&lt;------------- header, 4 bytes -----------&gt;|&lt;-- as often as frames fit, only in FRAMES ---&gt;|
 * </pre>
 *
 * <p>Credits. A Send with frames or with a {@link BulkNote}, and a WRITE with immediate, takes one
 * frame credit. Any other Send takes one control credit. Each credit stands for a receive that is
 * posted and announced. Of the {@value #CONTROL_CREDITS} control credits one is kept for the
 * farewell. The other two suffice to return frame credit by a message of its own at any time, which
 * happens when half of the frame credits are owed. Between two such messages the peer has used up
 * the credit that it had before the first. So the messages that made the third one due were sent
 * after the first had arrived, and they returned its control credit.
 *
 * <p>Leases. An end whose links share receives starts with few frame credits. When the peer wants
 * more, it returns more than were used, up to the limit in its {@link Terms}. The peer gives unused
 * credit back. The argument above still holds: leased credit comes only when the peer has used up
 * what it had.
 */
public final class SendHeader {
  /** Bytes before the first frame. */
  public static final int BYTES = 4;

  /** Bytes before each frame, for its length. */
  public static final int LENGTH_BYTES = 4;

  /** The receives that each end keeps posted for Sends without frames. */
  public static final int CONTROL_CREDITS = 3;

  /** Frames follow. */
  public static final byte FRAMES = 1;

  /** Nothing follows; the Send only returns credit. */
  public static final byte CREDIT = 2;

  /** Nothing follows, now or later: the sender closes. */
  public static final byte FAREWELL = 3;

  /** A {@link BulkNote} follows: bytes have landed. Takes a frame credit, like the next three. */
  public static final byte ARRIVED = 4;

  /** A {@link BulkNote} follows: a target is revoked. */
  public static final byte REVOKE = 5;

  /** A {@link BulkNote} follows: the revocation of a target is confirmed. */
  public static final byte REVOKED = 6;

  /** A {@link BulkNote} follows: the sender returns a number of leased credits. */
  public static final byte GIVE_BACK = 7;

  /** Added to a kind: this Send took about the last frame credit, and the sender can use more. */
  public static final int WANTS_MORE = 0x80;

  /** The largest number of frame credits that one header returns. */
  public static final int MOST_FRAME_CREDITS = 0xffff;

  private SendHeader() {}

  public static void write(
      ByteBuffer out, int at, byte kind, int controlCredits, int frameCredits) {
    out.putInt(at, kind << 24 | (controlCredits & 0xff) << 16 | (frameCredits & 0xffff));
  }

  /** Reads a header, for the methods below. */
  public static int read(ByteBuffer in, int at) {
    return in.getInt(at);
  }

  /** Returns the kind of a Send, which may be an unknown one. */
  public static byte kind(int header) {
    return (byte) (header >>> 24 & ~WANTS_MORE);
  }

  /** Returns whether the sender can use more frame credits. */
  public static boolean wantsMore(int header) {
    return (header >>> 24 & WANTS_MORE) != 0;
  }

  public static int controlCredits(int header) {
    return header >>> 16 & 0xff;
  }

  public static int frameCredits(int header) {
    return header & 0xffff;
  }
}
