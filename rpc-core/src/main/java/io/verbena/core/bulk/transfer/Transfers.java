package io.verbena.core.bulk.transfer;

import io.verbena.api.RpcStatus;
import io.verbena.api.bulk.Checksum;
import io.verbena.api.bulk.ObjectRef;
import io.verbena.api.bulk.Published;
import io.verbena.api.bulk.TransferOptions;
import io.verbena.api.wire.WireIn;
import io.verbena.core.bulk.BulkCounters;
import io.verbena.core.bulk.BulkHost;
import io.verbena.core.bulk.BulkPath;
import io.verbena.core.bulk.destination.Destination;
import io.verbena.core.bulk.destination.PushTaker;
import io.verbena.core.bulk.source.OpenSource;
import io.verbena.core.bulk.source.Shelf;
import io.verbena.core.bulk.stat.TransferStat;
import io.verbena.core.bulk.supply.ReadAhead;
import io.verbena.core.bulk.supply.Rereads;
import io.verbena.core.frame.FrameKind;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.agrona.collections.Long2ObjectHashMap;
import org.jspecify.annotations.Nullable;

/** The transfers of one session, both ways. On the session's loop. */
public final class Transfers {
  /** Bytes, as {@link io.verbena.core.link.BulkTarget#advertisement} promises. */
  static final int MOST_ADVERTISEMENT = 64;

  private static final int MOST_NAME_BYTES = 4000;
  private static final int CHECKED = 1;
  private static final int INTO_LANDING = 2;
  private static final int UNCHECKED = 4;
  private static final int OF_OFFER = CHECKED | INTO_LANDING | UNCHECKED;

  private final BulkHost host;
  private final CallTransfers calls;
  private final Pushes pushes;
  private final ReadAhead readAhead;
  private final Rereads rereads;
  private final Admission admission;
  private final Long2ObjectHashMap<OutgoingTransfer> outgoing = new Long2ObjectHashMap<>();
  private final Long2ObjectHashMap<IncomingTransfer> incoming = new Long2ObjectHashMap<>();
  private final ArrayDeque<OutgoingTransfer> turns = new ArrayDeque<>();
  private final Set<IncomingTransfer> progressDue = new LinkedHashSet<>();

  /** Why nothing more of the peer's is taken up; null while it is. */
  private @Nullable String refusal;

  /** No transfers yet. */
  public Transfers(BulkHost host) {
    this.host = host;
    this.calls = new CallTransfers(this, host);
    this.pushes = new Pushes(this, host);
    this.readAhead = new ReadAhead(host.bulkContext().memory(), host.loop());
    this.rereads = new Rereads(host);
    this.admission = new Admission(host);
  }

  BulkHost host() {
    return host;
  }

  ReadAhead readAhead() {
    return readAhead;
  }

  Rereads rereads() {
    return rereads;
  }

  /** Returns those that belong to calls. */
  public CallTransfers calls() {
    return calls;
  }

  boolean isFetchedByPeer(long id) {
    return !admission.isOwn(id) && !TransferId.isOfACall(id);
  }

  /** Returns what is under way, in the order in which it was asked for. */
  public List<TransferStat> stat() {
    return Stream.concat(incoming.values().stream(), outgoing.values().stream())
        .sorted(Comparator.comparingLong(transfer -> transfer.id))
        .map(transfer -> transfer.handle.stat(transfer instanceof IncomingTransfer))
        .toList();
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
          long id = admission.nextId();
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
          receive(
                  new IncomingTransfer(
                      this,
                      handle,
                      id,
                      destination,
                      checked ? Checksum.ALWAYS : Checksum.NEVER,
                      received -> {}))
              .begin(length);
        },
        () -> {});
  }

  void push(TransferHandle handle, String name, OpenSource source, TransferOptions options) {
    start(
        handle,
        options,
        () -> pushes.begin(handle, admission.nextId(), name, source, options),
        source::close);
  }

  void onPush(PushTaker taker) {
    pushes.takenBy(taker);
  }

  private void start(
      TransferHandle handle, TransferOptions options, Runnable begin, Runnable drop) {
    handle.limit(options.timeout());
    admission.start(handle, begin, drop);
    failIfNoBulk();
    host.schedulePump();
  }

  void failIfNoBulk() {
    if (host.movesNoBulk()) {
      failAll(RpcStatus.UNIMPLEMENTED, "the links of this session move no large objects", false);
    }
  }

  /**
   * Offers an object to the peer.
   *
   * @param landing which standing landing of the peer's it comes into, or {@link Pushes#NO_LANDING}
   */
  void offer(long id, long length, Checksum checksum, String name, long landing) {
    boolean stands = landing != Pushes.NO_LANDING;
    host.sendBulk(
        FrameKind.BULK_OFFER,
        id,
        out -> {
          out.writeVarLong(length);
          out.writeByte(flags(checksum) | (stands ? INTO_LANDING : 0));
          out.writeString(name);
          if (stands) {
            out.writeVarLong(landing);
          }
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

  /** Takes a transfer up, before it begins. */
  IncomingTransfer receive(IncomingTransfer transfer) {
    incoming.put(transfer.id, transfer);
    admission.enters(transfer);
    host.bulkContext().counters().receiving.incrementAndGet();
    return transfer;
  }

  /** Takes a transfer up, and begins it. */
  void send(OutgoingTransfer transfer) {
    outgoing.put(transfer.id, transfer);
    admission.enters(transfer);
    host.bulkContext().counters().sending.incrementAndGet();
    transfer.begin();
  }

  /** Returns the transfer of this number, either way; null if none is under way. */
  @Nullable BulkTransfer find(long id) {
    BulkTransfer transfer = outgoing.get(id);
    return transfer == null ? incoming.get(id) : transfer;
  }

  // ---- frames ----

  /** Takes a numbered frame; returns how the peer broke the protocol, or null. */
  public @Nullable String take(FrameKind kind, long id, WireIn in) {
    return switch (kind) {
      case BULK_FETCH -> fetched(id, in);
      case BULK_OFFER -> offered(id, in);
      case BULK_GRANT -> granted(id, in);
      case BULK_STANDING -> pushes.told(id, in);
      case BULK_SENT -> {
        int checksum = in.readInt();
        IncomingTransfer transfer = incoming.get(id);
        yield transfer == null ? unknown(kind, id) : transfer.sent(checksum);
      }
      case BULK_DONE -> {
        OutgoingTransfer transfer = outgoing.get(id);
        yield transfer == null ? unknown(kind, id) : transfer.done();
      }
      case BULK_RESUME -> {
        long upTo = in.readVarLong();
        int sum = in.readInt();
        OutgoingTransfer transfer = outgoing.get(id);
        yield transfer == null ? unknown(kind, id) : transfer.resumes(upTo, sum);
      }
      case BULK_RESUMED -> {
        long from = in.readVarLong();
        IncomingTransfer transfer = incoming.get(id);
        yield transfer == null ? unknown(kind, id) : transfer.resumed(from);
      }
      case BULK_CANCEL -> cancelled(id, in);
      default -> kind + " for a transfer";
    };
  }

  /** Takes how far a transfer is; returns how the peer broke the protocol, or null. */
  public @Nullable String takeProgress(long id, WireIn in) {
    long upTo = in.readVarLong();
    OutgoingTransfer transfer = outgoing.get(id);
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
    if (refusesMore(id)) {
      return null;
    }
    TransferHandle handle = new TransferHandle(host.loop(), "object " + object);
    Published.Fetch fetch = new Published.Fetch(host.peer(), handle);
    Shelf.Shelved shelved = host.bulkContext().shelf().use(object, key, fetch);
    if (shelved == null) {
      refuse(
          id,
          RpcStatus.UNAVAILABLE,
          "object " + object + " is not published: never, or closed, or its lease is at an end");
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
    long landing = (flags & INTO_LANDING) == 0 ? Pushes.NO_LANDING : in.readVarLong();
    if ((flags & ~OF_OFFER) != 0) {
      return "an offer with flags " + flags + ", which it does not have";
    }
    if (length < 0 || name.length() > MOST_NAME_BYTES) {
      return "an offer of " + length + " bytes";
    }
    if (admission.isOwn(id) && TransferId.isAnswer(id)) {
      IncomingTransfer transfer = incoming.get(id);
      if (transfer != null) {
        return transfer.offered(length);
      }
      refuse(id, RpcStatus.CANCELLED, "its call was given up"); // before it was answered
      return null;
    }
    String wrong = admission.begun(FrameKind.BULK_OFFER, id);
    if (wrong == null) {
      wrong = pushes.wrongWith(landing, length);
    }
    if (wrong == null) {
      pushes.offered(id, name, length, checksum(flags), landing);
    }
    return wrong;
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
    boolean many = admission.isFull();
    if (many) {
      refuse(
          id,
          RpcStatus.RESOURCE_EXHAUSTED,
          "more than " + Admission.MOST_OF_PEER + " transfers at once");
    }
    return many;
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
    OutgoingTransfer transfer = outgoing.get(id);
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
    BulkTransfer transfer = find(id);
    if (transfer != null) {
      transfer.cancelledByPeer(status, why);
      return null;
    }
    if (TransferId.isAnswer(id) && !admission.isOwn(id)) {
      calls.givenUp(TransferId.number(id));
    }
    return unknown(FrameKind.BULK_CANCEL, id);
  }

  // ---- turns ----

  /** A transfer may have something to write. */
  void queue(OutgoingTransfer transfer) {
    if (!transfer.queued) {
      transfer.queued = true;
      turns.add(transfer);
    }
  }

  void written(OutgoingTransfer transfer) {
    queue(transfer);
    host.schedulePump();
  }

  void owesProgress(IncomingTransfer transfer) {
    progressDue.add(transfer);
  }

  /**
   * Writes what there is room for, a chunk of each transfer in turn, and tells the peer how far its
   * own are.
   */
  public void pump() {
    int blocked = 0;
    while (blocked < turns.size()) {
      OutgoingTransfer next = turns.remove();
      switch (next.takeTurn()) {
        case WROTE -> {
          turns.add(next);
          blocked = 0;
        }
        case BLOCKED -> {
          turns.add(next);
          blocked++;
        }
        case IDLE -> next.queued = false;
      }
    }
    if (!progressDue.isEmpty()) { // else each cycle of every small call would allocate
      sayProgress();
    }
  }

  private void sayProgress() {
    progressDue.removeIf(
        transfer ->
            transfer.isOver()
                || transfer.hasAll() // DONE says so
                || host.sayBulk(
                    FrameKind.BULK_PROGRESS,
                    transfer.id,
                    out -> out.writeVarLong(transfer.confirmed())));
  }

  // ---- what happens to the session ----

  /** Returns whether a link is wanted for what is under way. */
  public boolean wantsLink() {
    return !outgoing.isEmpty() || !incoming.isEmpty() || admission.isAnyWaiting();
  }

  /** The session has other paths than before. */
  public void pathsChanged() {
    pushes.pathsChanged();
    List<IncomingTransfer> moving = new ArrayList<>(incoming.values());
    moving.forEach(IncomingTransfer::pathsChanged);
    failIfNoBulk();
    if (!turns.isEmpty()) {
      host.schedulePump();
    }
  }

  /** A link is closed, and nothing is read or written over it any more. */
  public void pathClosed(BulkPath path) {
    path.closed();
    pushes.pathClosed(path);
    List<BulkTransfer> all = new ArrayList<>(outgoing.values());
    all.addAll(incoming.values());
    all.forEach(transfer -> transfer.pathClosed(path));
  }

  /**
   * Fails every transfer: there is no peer, or no link that may be used.
   *
   * @param tellPeer whether there is a peer, which has to hear of it
   */
  public void failAll(RpcStatus status, String why, boolean tellPeer) {
    admission.failWaiting(status, why);
    List<BulkTransfer> all = new ArrayList<>(outgoing.values());
    all.addAll(incoming.values());
    all.forEach(transfer -> transfer.fail(status, why, null, tellPeer));
    calls.forgetLandings();
  }

  /** The peer and its numbers are gone. */
  public void peerLost(String why) {
    failAll(RpcStatus.UNAVAILABLE, why, false);
    pushes.peerLost();
    admission.peerLost();
  }

  /** The session is over, and has no links any more. */
  public void end(RpcStatus status, String why) {
    failAll(status, why, false);
    pushes.end();
  }

  /** It ends without the peer, to which its number means nothing any more, or something else. */
  void forget(IncomingTransfer transfer) {
    incoming.remove(transfer.id, transfer);
    progressDue.remove(transfer);
  }

  void ended(BulkTransfer transfer, boolean well) {
    BulkCounters counters = host.bulkContext().counters();
    (well ? counters.completed : counters.failed).incrementAndGet();
    switch (transfer) {
      case OutgoingTransfer out -> {
        outgoing.remove(out.id);
        counters.sending.decrementAndGet(); // it counts until it is released
      }
      case IncomingTransfer in -> {
        forget(in);
        counters.receiving.decrementAndGet();
        admission.leaves(in);
      }
    }
  }

  /** Nothing reads any more what was sent, nor makes its checksum. */
  void released(OutgoingTransfer transfer) {
    admission.leaves(transfer);
  }
}
