package io.verbena.core.bulk.transfer;

import io.verbena.api.RpcStatus;
import io.verbena.api.bulk.Checksum;
import io.verbena.api.bulk.ObjectRef;
import io.verbena.core.bulk.BulkHost;
import io.verbena.core.frame.FrameKind;

/** What this end of a session says about its transfers. On the loop. */
final class TransferFrames {
  static final int CHECKED = 1;
  static final int UNCHECKED = 4;

  private final BulkHost host;

  TransferFrames(BulkHost host) {
    this.host = host;
  }

  /** Asks for a range of an object. */
  void fetch(long id, ObjectRef ref, long offset, long length, boolean checked) {
    host.sendBulk(
        FrameKind.BULK_FETCH,
        id,
        out -> {
          out.writeLong(ref.id());
          out.writeLong(ref.key());
          out.writeVarLong(offset);
          out.writeVarLong(length);
          out.writeByte(checked ? CHECKED : 0);
        });
  }

  /** Offers an object to the peer. */
  void offer(long id, long length, Checksum checksum, String name) {
    host.sendBulk(
        FrameKind.BULK_OFFER,
        id,
        out -> {
          out.writeVarLong(length);
          out.writeByte(flags(checksum));
          out.writeString(name);
        });
  }

  private static int flags(Checksum checksum) {
    return switch (checksum) {
      case ALWAYS -> CHECKED;
      case FILES -> 0; // that is for the receiver to know, and to say
      case NEVER -> UNCHECKED;
    };
  }

  /** Returns when the sender of an offer says that a checksum is compared. */
  static Checksum checksum(int flags) {
    if ((flags & CHECKED) != 0) {
      return Checksum.ALWAYS;
    }
    return (flags & UNCHECKED) != 0 ? Checksum.NEVER : Checksum.FILES;
  }

  /** All of an object is here: its sender may let go of it. */
  void done(long id) {
    host.sendBulk(FrameKind.BULK_DONE, id, out -> {});
  }

  /** Has the peer give up what it would send, or what it asks for. */
  void refuse(long id, RpcStatus status, String why) {
    host.sendBulk(
        FrameKind.BULK_CANCEL,
        id,
        out -> {
          out.writeByte(status.code());
          out.writeString(why);
        });
  }
}
