package io.verbena.core.bulk.transfer;

import io.verbena.api.RpcStatus;
import io.verbena.api.bulk.Checksum;
import io.verbena.api.bulk.ObjectRef;
import io.verbena.api.bulk.Published;
import io.verbena.api.wire.WireIn;
import io.verbena.core.bulk.BulkHost;
import io.verbena.core.bulk.source.PublishedObjects;
import io.verbena.core.bulk.work.TransferProblem;
import io.verbena.core.frame.FrameKind;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** What the two ends of a session say to each other about transfers. On the loop. */
final class TransferFrames {
  /** Bytes, as {@link io.verbena.link.BulkTarget#advertisement} promises. */
  static final int MOST_ADVERTISEMENT = 64;

  private static final int MOST_NAME_BYTES = 4000;
  private static final int CHECKED = 1;
  private static final int UNCHECKED = 4;
  private static final int OF_OFFER = CHECKED | UNCHECKED;

  private final Transfers transfers;
  private final BulkHost host;
  private final TransferIds admission;
  private final Pushes pushes;
  private final CallTransfers calls;

  TransferFrames(
      Transfers transfers,
      BulkHost host,
      TransferIds admission,
      Pushes pushes,
      CallTransfers calls) {
    this.transfers = transfers;
    this.host = host;
    this.admission = admission;
    this.pushes = pushes;
    this.calls = calls;
  }

  // ---- what this end says ----

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

  private static Checksum checksum(int flags) {
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

  // ---- what the peer says ----

  /** Takes a numbered frame; returns how the peer broke the protocol, or null. */
  @Nullable String take(FrameKind kind, long id, WireIn in) {
    return switch (kind) {
      case BULK_FETCH -> fetched(id, in);
      case BULK_OFFER -> offered(id, in);
      case BULK_GRANT -> granted(id, in);
      case BULK_SENT -> {
        int checksum = in.readInt();
        IncomingTransfer transfer = transfers.incoming(id);
        yield transfer == null ? unknown(kind, id) : transfer.sent(checksum);
      }
      case BULK_DONE -> {
        OutgoingTransfer transfer = transfers.outgoing(id);
        yield transfer == null ? unknown(kind, id) : transfer.done();
      }
      case BULK_RESUME -> {
        long upTo = in.readVarLong();
        int sum = in.readInt();
        OutgoingTransfer transfer = transfers.outgoing(id);
        yield transfer == null ? unknown(kind, id) : transfer.resumes(upTo, sum);
      }
      case BULK_RESUMED -> {
        long from = in.readVarLong();
        IncomingTransfer transfer = transfers.incoming(id);
        yield transfer == null ? unknown(kind, id) : transfer.resumed(from);
      }
      case BULK_CANCEL -> cancelled(id, in);
      default -> kind + " for a transfer";
    };
  }

  /** Takes how far a transfer is; returns how the peer broke the protocol, or null. */
  @Nullable String takeProgress(long id, WireIn in) {
    long upTo = in.readVarLong();
    OutgoingTransfer transfer = transfers.outgoing(id);
    if (transfer == null) {
      return null; // unnumbered, so it may come late
    }
    return upTo < 0 ? "progress of " + upTo : transfer.progressed(upTo);
  }

  private @Nullable String unknown(FrameKind kind, long id) {
    return admission.mayHaveBeen(id)
        ? null
        : kind + " for transfer " + id + ", which was not begun";
  }

  private @Nullable String fetched(long id, WireIn in) {
    long object = in.readLong();
    long key = in.readLong();
    long offset = in.readVarLong();
    long length = in.readVarLong();
    int flags = in.readByte();
    if ((flags & ~CHECKED) != 0) {
      return "a fetch with flags " + flags + ", which it does not have";
    }
    boolean checked = (flags & CHECKED) != 0;
    String wrong = admission.begun(FrameKind.BULK_FETCH, id);
    if (wrong != null) {
      return wrong;
    }
    if (transfers.refusesMore(id)) {
      return null;
    }
    TransferHandle handle = new TransferHandle(host.loop(), "object " + object);
    Published.Fetch fetch = new Published.Fetch(host.peer(), handle);
    PublishedObjects.PublishedObject shelved = host.bulkContext().shelf().use(object, key, fetch);
    if (shelved == null) {
      TransferProblem missing = host.bulkContext().shelf().missing(object);
      refuse(id, missing.status(), String.valueOf(missing.getMessage()));
      return null;
    }
    if (offset < 0 || length < 0 || length > shelved.ref().length() - offset) {
      shelved.used(fetch);
      refuse(
          id,
          RpcStatus.INVALID_ARGUMENT,
          shelved.ref() + " has no range of " + length + " from " + offset);
      return null;
    }
    handle.whence(() -> shelved.inWords() + " to " + host.peer().address());
    transfers.send(
        new OutgoingTransfer(
            transfers,
            handle,
            id,
            shelved.source().slice(offset, length),
            checked,
            () -> shelved.used(fetch)));
    return null;
  }

  private @Nullable String offered(long id, WireIn in) {
    long length = in.readVarLong();
    int flags = in.readByte();
    String name = in.readString();
    if ((flags & ~OF_OFFER) != 0) {
      return "an offer with flags " + flags + ", which it does not have";
    }
    if (length < 0 || name.length() > MOST_NAME_BYTES) {
      return "an offer of " + length + " bytes";
    }
    if (admission.isOwn(id) && TransferId.isAnswer(id)) {
      IncomingTransfer transfer = transfers.incoming(id);
      if (transfer != null) {
        return transfer.offered(length);
      }
      refuse(id, RpcStatus.CANCELLED, "its call was given up"); // before it was answered
      return null;
    }
    String wrong = admission.begun(FrameKind.BULK_OFFER, id);
    if (wrong == null) {
      pushes.offered(id, name, length, checksum(flags));
    }
    return wrong;
  }

  private @Nullable String granted(long id, WireIn in) {
    int generation = in.readVarInt();
    long offset = in.readVarLong();
    long length = in.readVarLong();
    int epoch = in.readInt();
    ByteBuffer advertisement = in.readBuffer();
    if (generation < 1
        || offset < 0
        || length < 1
        || offset + length < 0
        || advertisement.remaining() > MOST_ADVERTISEMENT) {
      return "a grant of " + length + " bytes from " + offset;
    }
    var grant = new Grants.Grant(generation, offset, length, epoch, advertisement);
    OutgoingTransfer transfer = transfers.outgoing(id);
    if (transfer != null) {
      return transfer.granted(grant);
    }
    if (TransferId.isAnswer(id) && !admission.isOwn(id)) {
      return calls.granted(TransferId.number(id), grant);
    }
    return unknown(FrameKind.BULK_GRANT, id);
  }

  private @Nullable String cancelled(long id, WireIn in) {
    RpcStatus status = RpcStatus.ofCode(in.readByte());
    String why = in.readString();
    BulkTransfer transfer = transfers.find(id);
    if (transfer != null) {
      transfer.cancelledByPeer(status, why);
      return null;
    }
    if (TransferId.isAnswer(id) && !admission.isOwn(id)) {
      calls.givenUp(TransferId.number(id));
    }
    return unknown(FrameKind.BULK_CANCEL, id);
  }
}
