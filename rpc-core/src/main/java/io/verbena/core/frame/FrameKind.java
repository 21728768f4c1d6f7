package io.verbena.core.frame;

import org.jspecify.annotations.Nullable;

/**
 * What a frame is for. 32–47 are for bulk transfer, 48–55 for upgrades of the path, 56–63 for
 * settling after a change of path; 64–95 are reserved for streams and refused by this version.
 */
public enum FrameKind {
  /** Client to server, first on every link: who I am, what I can, which session I resume. */
  HELLO(1, false),
  /** Server to client: the session is open, or goes on. */
  WELCOME(2, false),
  /** Server to client: no session, and why. The link closes. */
  REFUSED(3, false),
  /** Carries nothing but the acknowledgement in its header. */
  ACK(4, false),
  /** Asks for a sign of life. */
  PING(5, false),
  /** Gives one. */
  PONG(6, false),
  /** The session ends, on purpose. */
  GOODBYE(7, false),

  /** A call: {@link CallFrames}. */
  REQUEST(8, true),
  /** A call that wants no reply. */
  ONEWAY(9, true),
  /** A call's result. */
  RESULT(10, true),
  /** A declared exception: its place in the throws clause, then the exception. */
  DECLARED_ERROR(11, true),
  /** Any other failure: status, certainty, type name, message. */
  FAILURE(12, true),
  /** The caller has lost interest in a call. */
  CANCEL(13, true),
  /** So many one-way calls are done: the caller may have as many more under way. */
  ONEWAY_DONE(14, true),
  /** The services that this end serves now. */
  SERVICES(15, true),
  /** Asks for the schema of a service, and shows what this end has of it. */
  SCHEMA_REQUEST(16, true),
  /** A service's schema. */
  SCHEMA(17, true),
  /** A further piece of a message that is longer than a frame. */
  FRAGMENT(18, true),
  /** This end takes no more calls, and finishes those that it has: why. */
  DRAINING(19, true),
  /** The answer to {@link #DRAINING}: no call comes behind it. */
  LAST_CALL(20, true),

  /**
   * The receiver wants a published object: its id and key, offset, length, flags. In this and all
   * bulk frames but the last the header's call id is the transfer's.
   */
  BULK_FETCH(32, true),
  /** The sender has an object: length, flags, name. */
  BULK_OFFER(33, true),
  /** The receiver opens memory: generation, offset, length, epoch of the link, advertisement. */
  BULK_GRANT(34, true),
  /** So many bytes have arrived in order. */
  BULK_PROGRESS(35, false),
  /** The sender has written all of what is compared, and its checksum; or there is no byte: 0. */
  BULK_SENT(36, true),
  /** The receiver has the object: a file whole and stored, in memory all that has come. */
  BULK_DONE(37, true),
  /** Either end gives the transfer up: status, reason. */
  BULK_CANCEL(38, true),
  /**
   * The receiver, before its first grant: so many bytes it has from before, their CRC32C, and it
   * compares a checksum of the whole.
   */
  BULK_RESUME(40, true),
  /** The answer where there were any: where the sender begins, behind these or at 0. */
  BULK_RESUMED(41, true),

  /** The client asks for a better link: its epoch, then what the client can do. */
  UPGRADE_REQUEST(48, true),
  /** The server's offer of a better link: its epoch, then how to connect. */
  UPGRADE_OFFER(49, true),
  /** There is no better link: its epoch, then why. */
  UPGRADE_DECLINED(50, true),
  /**
   * The last of this link's numbered frames has been sent; the next comes over another link: its
   * epoch, then the number of the last.
   */
  PATH_CHANGED(51, false),
  /**
   * The client asks for one more link beside the better one, for objects: as {@link
   * #UPGRADE_REQUEST}, and answered alike.
   */
  RAIL_REQUEST(52, true),
  /**
   * The link of an epoch is gone and drained: what this end received in all. Once both ends have
   * said so, what the other lacks is sent again over the session's first link.
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

  /** Returns the number that stands for this kind in a header. */
  public int code() {
    return code;
  }

  /**
   * Returns whether frames of this kind are numbered, kept until acknowledged, and sent again over
   * a new link. Others belong to one link and die with it.
   */
  public boolean sequenced() {
    return sequenced;
  }

  /**
   * Returns whether a frame of this kind brings a call, what became of one, or no more than an
   * acknowledgement: the most frequent ones.
   */
  public boolean isOfCall() {
    return code == ACK.code || (code >= REQUEST.code && code <= FAILURE.code);
  }

  /** Returns the kind with this code, or null. */
  public static @Nullable FrameKind ofCode(int code) {
    return code >= 0 && code < BY_CODE.length ? BY_CODE[code] : null;
  }
}
