package io.verbena.core.bulk.transfer;

import io.verbena.api.RpcStatus;
import io.verbena.api.bulk.Checksum;
import io.verbena.api.bulk.ObjectRef;
import io.verbena.api.bulk.Published;
import io.verbena.api.bulk.PushHandler;
import io.verbena.api.bulk.TransferOptions;
import io.verbena.api.wire.WireIn;
import io.verbena.core.bulk.BulkHost;
import io.verbena.core.bulk.OpenSource;
import io.verbena.core.bulk.PublishedObjects;
import io.verbena.core.bulk.Release;
import io.verbena.core.bulk.TransferProblem;
import io.verbena.core.frame.FrameKind;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** The transfers of one session, both ways, as either end begins them. On the session's loop. */
public final class Transfers extends OngoingTransfers {
  /** Bytes, as {@link io.verbena.link.BulkTarget#advertisement} promises. */
  private static final int MOST_ADVERTISEMENT = 64;

  private static final int MOST_NAME_BYTES = 4000;

  private final CallTransfers calls;
  private volatile @Nullable PushTaker taker;

  /** Why nothing more of the peer's is taken up; null while it is. */
  private @Nullable String refusal;

  /** No transfers yet. */
  public Transfers(BulkHost host) {
    super(host);
    this.calls = new CallTransfers(this);
  }

  /** Returns those that belong to calls. */
  public CallTransfers calls() {
    return calls;
  }

  // ---- begun by this end ----

  void fetch(
      TransferHandle handle,
      ObjectRef ref,
      long offset,
      long length,
      Destination destination,
      TransferOptions options,
      boolean checked) {
    start(
        handle,
        options,
        () -> {
          long id = ids.nextId();
          sayFetch(id, ref, offset, length, checked);
          receive(
                  new IncomingTransfer(
                      this,
                      handle,
                      id,
                      destination,
                      checked ? Checksum.ALWAYS : Checksum.NEVER,
                      received -> received))
              .begin(length);
        },
        () -> {});
  }

  void push(
      TransferHandle handle,
      String name,
      OpenSource source,
      Release release,
      TransferOptions options) {
    start(
        handle,
        options,
        () -> {
          long id = ids.nextId();
          boolean checked = options.checksum() == Checksum.ALWAYS;
          sayOffer(id, source.length(), options.checksum(), name);
          send(new OutgoingTransfer(this, handle, id, source, checked, release));
        },
        () -> {
          source.close();
          release.run();
        });
  }

  /** Has a handler take what is pushed from now on. Safe for any thread. */
  void onPush(PushTaker taker) {
    this.taker = taker;
  }

  private void start(
      TransferHandle handle, TransferOptions options, Runnable begin, Runnable drop) {
    takeTurns();
    handle.limit(options.timeout());
    ids.start(handle, begin, drop);
    failIfNoBulk();
    host.schedulePump();
  }

  /** Takes up nothing more that the peer begins. */
  public void refuseMore(String why) {
    refusal = why;
  }

  /**
   * Refuses a transfer that the peer begins where it has as many under way as it may, or none is
   * taken up any more.
   */
  boolean refusesMore(long id) {
    if (refusal != null) {
      refuse(id, RpcStatus.UNAVAILABLE, refusal);
      return true;
    }
    boolean many = ids.isFull();
    if (many) {
      refuse(
          id,
          RpcStatus.RESOURCE_EXHAUSTED,
          "more than " + TransferIds.MOST_OF_PEER + " transfers at once");
    }
    return many;
  }

  /** Asks for a range of an object. */
  private void sayFetch(long id, ObjectRef ref, long offset, long length, boolean checked) {
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

  // ---- what the peer says ----

  /** Takes a numbered frame; returns how the peer broke the protocol, or null. */
  public @Nullable String take(FrameKind kind, long id, WireIn in) {
    return switch (kind) {
      case BULK_FETCH -> fetched(id, in);
      case BULK_OFFER -> offered(id, in);
      case BULK_GRANT -> granted(id, in);
      case BULK_SENT -> {
        int checksum = in.readInt();
        IncomingTransfer transfer = incoming(id);
        yield transfer == null ? unknown(kind, id) : transfer.sent(checksum);
      }
      case BULK_DONE -> {
        OutgoingTransfer transfer = outgoing(id);
        yield transfer == null ? unknown(kind, id) : transfer.done();
      }
      case BULK_RESUME -> {
        long upTo = in.readVarLong();
        int sum = in.readInt();
        OutgoingTransfer transfer = outgoing(id);
        yield transfer == null ? unknown(kind, id) : transfer.resumes(upTo, sum);
      }
      case BULK_RESUMED -> {
        long from = in.readVarLong();
        IncomingTransfer transfer = incoming(id);
        yield transfer == null ? unknown(kind, id) : transfer.resumed(from);
      }
      case BULK_CANCEL -> cancelled(id, in);
      default -> kind + " for a transfer";
    };
  }

  /** Takes how far a transfer is; returns how the peer broke the protocol, or null. */
  public @Nullable String takeProgress(long id, WireIn in) {
    long upTo = in.readVarLong();
    OutgoingTransfer transfer = outgoing(id);
    if (transfer == null) {
      return null; // unnumbered, so it may come late
    }
    return upTo < 0 ? "progress of " + upTo : transfer.progressed(upTo);
  }

  private @Nullable IncomingTransfer incoming(long id) {
    return find(id) instanceof IncomingTransfer transfer ? transfer : null;
  }

  private @Nullable String unknown(FrameKind kind, long id) {
    return ids.mayHaveBeen(id) ? null : kind + " for transfer " + id + ", which was not begun";
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
    String wrong = ids.begun(FrameKind.BULK_FETCH, id);
    if (wrong != null) {
      return wrong;
    }
    if (refusesMore(id)) {
      return null;
    }
    String title = host.bulkContext().shelf().title(object);
    TransferHandle handle = new TransferHandle(host.loop(), title);
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
          "%s of %d bytes has no range of %d from %d"
              .formatted(title, shelved.ref().length(), length, offset));
      return null;
    }
    handle.whence(() -> shelved.inWords() + " to " + host.peer().address());
    send(
        new OutgoingTransfer(
            this,
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
    if ((flags & ~(CHECKED | UNCHECKED)) != 0) {
      return "an offer with flags " + flags + ", which it does not have";
    }
    if (length < 0 || name.length() > MOST_NAME_BYTES) {
      return "an offer of " + length + " bytes";
    }
    if (ids.isOwn(id) && TransferIds.isAnswer(id)) {
      IncomingTransfer transfer = incoming(id);
      if (transfer != null) {
        return transfer.offered(length);
      }
      refuse(id, RpcStatus.CANCELLED, "its call was given up"); // before it was answered
      return null;
    }
    String wrong = ids.begun(FrameKind.BULK_OFFER, id);
    if (wrong == null) {
      pushed(id, name, length, checksum(flags));
    }
    return wrong;
  }

  private void pushed(long id, String name, long length, Checksum checksum) {
    PushTaker takes = taker;
    if (takes == null) {
      refuse(id, RpcStatus.UNIMPLEMENTED, "nothing takes pushes there: set objects().onPush(…)");
    } else if (!refusesMore(id)) {
      TransferHandle handle = new TransferHandle(host.loop(), "push '" + name + "'");
      PushHandler.Offer offer = new PushHandler.Offer(name, length, handle);
      receive(
              new IncomingTransfer(
                  this,
                  handle,
                  id,
                  null,
                  checksum,
                  received -> {
                    takes.hand(host, offer, received);
                    return Arrived.elsewhere(length); // it is the handler's alone
                  }))
          .ask(takes, offer);
    }
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
    var grant = new OutgoingTransfer.Grant(generation, offset, length, epoch, advertisement);
    OutgoingTransfer transfer = outgoing(id);
    if (transfer != null) {
      return transfer.granted(grant);
    }
    if (TransferIds.isAnswer(id) && !ids.isOwn(id)) {
      return calls.granted(TransferIds.number(id), grant);
    }
    return unknown(FrameKind.BULK_GRANT, id);
  }

  private @Nullable String cancelled(long id, WireIn in) {
    RpcStatus status = RpcStatus.ofCode(in.readByte());
    String why = in.readString();
    BulkTransfer transfer = find(id);
    if (transfer != null) {
      transfer.cancelledByPeer(status, why);
      return null;
    }
    if (TransferIds.isAnswer(id) && !ids.isOwn(id)) {
      calls.givenUp(TransferIds.number(id));
    }
    return unknown(FrameKind.BULK_CANCEL, id);
  }

  /** Returns when the sender of an offer says that a checksum is compared. */
  private static Checksum checksum(int flags) {
    if ((flags & CHECKED) != 0) {
      return Checksum.ALWAYS;
    }
    return (flags & UNCHECKED) != 0 ? Checksum.NEVER : Checksum.FILES;
  }

  // ---- what happens to the session ----

  @Override
  public void failAll(RpcStatus status, String why, boolean tellPeer) {
    super.failAll(status, why, tellPeer);
    calls.forgetLandings();
  }
}
