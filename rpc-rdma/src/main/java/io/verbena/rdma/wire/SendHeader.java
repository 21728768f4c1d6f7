package io.verbena.rdma.wire;

import java.nio.ByteBuffer;

/**
 * How a Send is laid out, in network order. Every Send returns whatever credit its sender owes.
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
 * frame credit, any other Send takes one control credit; each stands for a receive that its owner
 * has posted and told of. Of the {@value #CONTROL_CREDITS} control credits one is kept for the
 * farewell. The other two are enough for credit to come back by itself at any time: it does so when
 * half of the frame credits are owed. Between two such messages the peer has used up what it had
 * before the first, so whatever made the third one due was sent after the first had arrived, and
 * returned its control credit.
 *
 * <p>Leases. An end whose receives are shared by links starts with few frame credits and returns
 * more than were used, up to what its {@link Terms} say, when the peer wants more. The peer gives
 * back what it has had no use for. The argument above holds all the same: credit that was not
 * earned by use comes only when what the peer had is used up.
 */
public final class SendHeader {
  /** Bytes before the first frame. */
  public static final int BYTES = 4;

  /** Bytes before each frame, for its length. */
  public static final int LENGTH_BYTES = 4;

  /** Receives that each end keeps posted for Sends without frames. */
  public static final int CONTROL_CREDITS = 3;

  /** Frames follow. */
  public static final byte FRAMES = 1;

  /** Nothing follows: credit comes back by itself. */
  public static final byte CREDIT = 2;

  /** Nothing follows, and nothing will: the sender closes. */
  public static final byte FAREWELL = 3;

  /** A {@link BulkNote} follows: bytes have landed. Takes a frame credit, as those below. */
  public static final byte ARRIVED = 4;

  /** A {@link BulkNote} follows: a target is to be left alone. */
  public static final byte REVOKE = 5;

  /** A {@link BulkNote} follows: a target is left alone. */
  public static final byte REVOKED = 6;

  /** A {@link BulkNote} follows, with a number of leased credits that the sender gives back. */
  public static final byte GIVE_BACK = 7;

  /** Added to a kind: this took about the last frame credit, and more would be of use. */
  public static final int WANTS_MORE = 0x80;

  /** The most frame credits that one header returns. */
  public static final int MOST_FRAME_CREDITS = 0xffff;

  private SendHeader() {}

  /** Writes a header. */
  public static void write(
      ByteBuffer out, int at, byte kind, int controlCredits, int frameCredits) {
    out.putInt(at, kind << 24 | (controlCredits & 0xff) << 16 | (frameCredits & 0xffff));
  }

  /** Reads a header, for the methods below. */
  public static int read(ByteBuffer in, int at) {
    return in.getInt(at);
  }

  /** Returns what kind of Send it is; maybe none that there is. */
  public static byte kind(int header) {
    return (byte) (header >>> 24 & ~WANTS_MORE);
  }

  /** Returns whether its sender has use for more frame credits. */
  public static boolean wantsMore(int header) {
    return (header >>> 24 & WANTS_MORE) != 0;
  }

  /** Returns the control credits that come back. */
  public static int controlCredits(int header) {
    return header >>> 16 & 0xff;
  }

  /** Returns the frame credits that come back. */
  public static int frameCredits(int header) {
    return header & 0xffff;
  }
}
