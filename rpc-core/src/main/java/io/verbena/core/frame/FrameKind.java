package io.verbena.core.frame;

import org.jspecify.annotations.Nullable;

/**
 * The kinds of frames. Codes 32–47 are for bulk transfer, 48–55 for upgrades of the path, 56–63 for
 * settling after a change of path. Codes 64–95 are reserved for streams, and this version refuses
 * them.
 */
public enum FrameKind {
  /**
   * The client's first frame on every link, with its credentials, abilities and the session to
   * resume.
   */
  HELLO(1, false),
  /** The server's answer: the session is open or resumed. */
  WELCOME(2, false),
  /** The server's refusal with its reason. The link closes. */
  REFUSED(3, false),
  /** Only the acknowledgement in the header. */
  ACK(4, false),
  /** A request for a sign of life. */
  PING(5, false),
  /** The answer to {@link #PING}. */
  PONG(6, false),
  /** The session ends in order. */
  GOODBYE(7, false),

  /** A call. */
  REQUEST(8, true),
  /** A one-way call. */
  ONEWAY(9, true),
  /** A call's result. */
  RESULT(10, true),
  /** A declared exception: its position in the throws clause, then the exception. */
  DECLARED_ERROR(11, true),
  /** Any other failure: status, certainty, type name, message. */
  FAILURE(12, true),
  /** The caller cancels a call. */
  CANCEL(13, true),
  /** The number of one-way calls that are done. The caller may send as many more. */
  ONEWAY_DONE(14, true),
  /** The services that this end serves now. */
  SERVICES(15, true),
  /** A request for the schema of a service, with the schema of this end. */
  SCHEMA_REQUEST(16, true),
  /** A service's schema. */
  SCHEMA(17, true),
  /** A further piece of a message that is longer than a frame. */
  FRAGMENT(18, true),
  /** This end accepts no more calls and finishes those that it has. The body is the reason. */
  DRAINING(19, true),
  /** The answer to {@link #DRAINING}. No call follows it. */
  LAST_CALL(20, true),

  /**
   * The receiver fetches a published object: its id and key, offset, length, flags. In this frame,
   * and in all bulk frames except the last, the header's call id is the id of the transfer.
   */
  BULK_FETCH(32, true),
  /** The sender offers an object: length, flags, name. */
  BULK_OFFER(33, true),
  /** The receiver opens memory: generation, offset, length, epoch of the link, advertisement. */
  BULK_GRANT(34, true),
  /** The number of bytes that have arrived in order. */
  BULK_PROGRESS(35, false),
  /**
   * The sender has written all bytes that are compared. The body is their checksum, or 0 for an
   * empty object.
   */
  BULK_SENT(36, true),
  /** The receiver has the object: a file completely stored, or all bytes in memory. */
  BULK_DONE(37, true),
  /** Either end gives up the transfer: status, reason. */
  BULK_CANCEL(38, true),
  /**
   * The receiver, before its first grant, has bytes of an earlier transfer: their number and
   * CRC32C. It compares a checksum of the whole.
   */
  BULK_RESUME(40, true),
  /**
   * The answer to {@link #BULK_RESUME}: the offset at which the sender begins, after these bytes or
   * 0.
   */
  BULK_RESUMED(41, true),

  /** The client requests a better link: its epoch, then the client's abilities. */
  UPGRADE_REQUEST(48, true),
  /** The server offers a better link: its epoch, then the data for connecting. */
  UPGRADE_OFFER(49, true),
  /** The server declines a better link: its epoch, then the reason. */
  UPGRADE_DECLINED(50, true),
  /**
   * The last numbered frame on this link has been sent. The next uses another link: its epoch, then
   * the number of the last frame.
   */
  PATH_CHANGED(51, false),
  /**
   * The client requests one more link beside the better link, for objects. Its body and answers are
   * those of {@link #UPGRADE_REQUEST}.
   */
  RAIL_REQUEST(52, true),
  /**
   * A link is gone and drained: its epoch, then the number of frames that this end has received.
   * When both ends have sent it, missing frames are sent again over the session's first link.
   */
  SETTLE(56, false);

  private static final @Nullable FrameKind[] BY_CODE = new @Nullable FrameKind[64];

  static {
    for (FrameKind kind : values()) {
      BY_CODE[kind.code] = kind;
    }
  }

  private final int code;
  private final boolean sequenced;

  FrameKind(int code, boolean sequenced) {
    this.code = code;
    this.sequenced = sequenced;
  }

  public int code() {
    return code;
  }

  /**
   * Returns whether frames of this kind are numbered, kept until they are acknowledged, and sent
   * again over a new link. Other frames belong to one link and are lost with it.
   */
  public boolean sequenced() {
    return sequenced;
  }

  /**
   * Returns whether this is one of the most frequent kinds: a call, an outcome, or an
   * acknowledgement.
   */
  public boolean isOfCall() {
    return code == ACK.code || (code >= REQUEST.code && code <= FAILURE.code);
  }

  public static @Nullable FrameKind ofCode(int code) {
    return code >= 0 && code < BY_CODE.length ? BY_CODE[code] : null;
  }
}
