package io.verbena.core.transfer;

import io.verbena.api.RpcStatus;
import io.verbena.api.bulk.Checksum;
import io.verbena.api.bulk.Published;
import io.verbena.api.bulk.PushHandler;
import io.verbena.api.wire.WireIn;
import io.verbena.codec.WireDecoder;
import io.verbena.core.bulk.BulkPath;
import io.verbena.core.bulk.PublishedObjects;
import io.verbena.core.bulk.TransferProblem;
import io.verbena.core.bulk.stat.TransferStat;
import io.verbena.core.frame.FrameKind;
import io.verbena.core.loop.Timers;
import io.verbena.core.sequence.Message;
import io.verbena.core.session.Participant;
import io.verbena.core.session.SessionImpl;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.agrona.collections.Long2ObjectHashMap;
import org.agrona.collections.LongArrayList;
import org.jspecify.annotations.Nullable;

/**
 * The transfers of one session, in both directions: their beginnings and ends, their turns, and the
 * frames from and to the peer. On the session's loop.
 */
public final class Transfers implements Participant {
  /** In bytes, as {@link io.verbena.link.BulkTarget#advertisement} promises. */
  private static final int MOST_ADVERTISEMENT = 64;

  private static final int MOST_NAME_BYTES = 4000;

  /** The most grants for the answer to one call. */
  private static final int MOST_GRANTS = 64;

  /** The longest time until a sender without a waiting user is told that all has arrived. */
  private static final long LONGEST_UNTOLD_NANOS = 20_000_000;

  /** The most bytes that such senders may keep at a time. A short object counts as the minimum. */
  private static final long MOST_UNTOLD_BYTES = 1 << 20;

  private static final long LEAST_UNTOLD_BYTES = 16 << 10;

  /** A flag of a fetch and of an offer. */
  static final int CHECKED = 1;

  /** A flag of an offer: the object belongs to another RPC system. */
  private static final int CARRIED = 2;

  private static final int UNCHECKED = 4;

  final SessionImpl session;
  final TransferIds ids;
  final ReadAhead readAhead;
  final EarlyLandings early;
  final ArrayDeque<Reread> rereads = new ArrayDeque<>();
  private final LongSupplier lastOfPeer;
  private final Long2ObjectHashMap<OutgoingTransfer> outgoing = new Long2ObjectHashMap<>();
  private final Long2ObjectHashMap<IncomingTransfer> incoming = new Long2ObjectHashMap<>();

  /** The landings that callers opened for the answers to their calls, until a handler answers. */
  private final Long2ObjectHashMap<List<Grant>> landings = new Long2ObjectHashMap<>();

  private final ArrayDeque<OutgoingTransfer> turns = new ArrayDeque<>();
  private final Set<IncomingTransfer> progressDue = new LinkedHashSet<>();

  /** The transfers that have arrived, and whose senders do not know it yet. */
  private final LongArrayList untold = new LongArrayList();

  private long untoldBytes;
  private long untoldTimer = Timers.NONE;

  /** Whether the session knows that there is something to do. */
  private boolean takesTurns;

  volatile @Nullable PushTaker taker;

  volatile @Nullable PushTaker carriedTaker;

  /** The reason why no more transfers of the peer begin; null while they may. */
  private @Nullable String refusal;

  /**
   * Starts without transfers.
   *
   * @param lastCallOfPeer returns the highest number of a call of this peer; 0 before any
   */
  public Transfers(SessionImpl session, LongSupplier lastCallOfPeer) {
    this.session = session;
    this.ids = new TransferIds(session);
    this.readAhead = new ReadAhead(session);
    this.early = new EarlyLandings(session, ids);
    this.lastOfPeer = lastCallOfPeer;
  }

  /** Returns the transfers under way, in the order of their requests. */
  public List<TransferStat> stat() {
    return Stream.concat(incoming.values().stream(), outgoing.values().stream())
        .filter(transfer -> !early.waits(transfer.id))
        .sorted(Comparator.comparingLong(transfer -> transfer.id))
        .map(transfer -> transfer.handle.stat(transfer instanceof IncomingTransfer))
        .toList();
  }

  // ---- begin and end ----

  /** Adds a transfer before it begins. */
  IncomingTransfer receive(IncomingTransfer transfer) {
    takeTurns();
    incoming.put(transfer.id, transfer);
    ids.count(transfer, 1);
    session.context().bulk().counters().countBegin(false);
    return transfer;
  }

  /** Adds a transfer and begins it. */
  void send(OutgoingTransfer transfer) {
    takeTurns();
    outgoing.put(transfer.id, transfer);
    ids.count(transfer, 1);
    session.context().bulk().counters().countBegin(true);
    transfer.begin();
  }

  /** Returns the transfer with this number, of either direction; null if none is under way. */
  @Nullable BulkTransfer find(long id) {
    BulkTransfer transfer = outgoing.get(id);
    return transfer == null ? incoming.get(id) : transfer;
  }

  /**
   * Ends a transfer without telling the peer, which no longer knows its number or uses it for
   * another one.
   */
  void forget(IncomingTransfer transfer) {
    if (incoming.remove(transfer.id, transfer) && early.waits(transfer.id)) {
      early.waitsNoLonger(transfer.id);
    }
    progressDue.remove(transfer);
  }

  /** Ends a transfer. An outgoing one counts until nothing reads its memory any more. */
  void ended(BulkTransfer transfer, boolean well) {
    session.context().bulk().counters().countEnd(transfer instanceof OutgoingTransfer, well);
    if (transfer instanceof IncomingTransfer received) {
      forget(received);
      ids.remove(transfer);
    } else {
      outgoing.remove(transfer.id);
    }
  }

  // ---- frames to the peer ----

  void sendOffer(long id, long length, Checksum checksum, String name, boolean carried) {
    int sum =
        switch (checksum) {
          case ALWAYS -> CHECKED;
          case FILES -> 0; // the receiver knows it and asks for it
          case NEVER -> UNCHECKED;
        };
    int flags = carried ? sum | CARRIED : sum;
    session.sendBulk(
        FrameKind.BULK_OFFER,
        id,
        out -> {
          out.writeVarLong(length);
          out.writeByte(flags);
          out.writeString(name);
        });
  }

  /** Asks the peer to stop sending, or to stop waiting for, an object. */
  void refuse(long id, RpcStatus status, String why) {
    BulkTransfer.refuse(session, id, status, why);
  }

  /**
   * Notes that all of an object is here. The sender of a push waits to hear that. Other senders
   * only release memory, so they are told with the session's next message or after a short delay.
   */
  void arrived(long id, long length, boolean pushed) {
    takeTurns();
    untold.addLong(id);
    untoldBytes += Math.max(length, LEAST_UNTOLD_BYTES);
    if (pushed || untoldBytes > MOST_UNTOLD_BYTES) {
      tellSenders();
    } else if (untoldTimer == Timers.NONE) {
      untoldTimer =
          session
              .loop()
              .timers()
              .schedule(
                  session.loop().now() + LONGEST_UNTOLD_NANOS,
                  now -> {
                    untoldTimer = Timers.NONE;
                    tellSenders();
                  });
    }
  }

  /** Tells senders that all of an object is here, so that they may release its memory. */
  private void tellSenders() {
    if (untold.isEmpty()) {
      return;
    }
    long[] whole = untold.toLongArray();
    forgetUntold();
    for (long id : whole) {
      session.sendBulk(FrameKind.BULK_DONE, id, out -> {});
    }
  }

  private void forgetUntold() {
    untold.clear();
    untoldBytes = 0;
    session.loop().timers().cancel(untoldTimer);
    untoldTimer = Timers.NONE;
  }

  // ---- turns ----

  /** Notes that there may be something to do. */
  void takeTurns() {
    if (!takesTurns) {
      takesTurns = true;
      session.turnsChanged();
    }
  }

  void queue(OutgoingTransfer transfer) {
    if (!transfer.queued) {
      transfer.queued = true;
      takeTurns();
      turns.add(transfer);
    }
  }

  void queueProgress(IncomingTransfer transfer) {
    takeTurns();
    progressDue.add(transfer);
  }

  /**
   * Writes as much as there is room for, one chunk of each transfer in turn. Then tells the peer
   * how far its own transfers are.
   */
  @Override
  public void afterFrames() {
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
    if (!progressDue.isEmpty()) { // otherwise each cycle of small calls would allocate
      sendProgress();
    }
    takesTurns = !turns.isEmpty() || !progressDue.isEmpty() || isBusy();
  }

  private void sendProgress() {
    progressDue.removeIf(
        transfer ->
            transfer.isOver()
                || transfer.hasAll() // DONE says so
                || session.trySendBulk(
                    FrameKind.BULK_PROGRESS,
                    transfer.id,
                    out -> out.writeVarLong(transfer.confirmed())));
  }

  // ---- frames from the peer ----

  @Override
  public Set<FrameKind> kinds() {
    return EnumSet.range(FrameKind.BULK_FETCH, FrameKind.BULK_RESUMED);
  }

  @Override
  public @Nullable String take(Message message) {
    FrameKind kind = message.kind();
    long id = message.callId();
    WireIn in = session.decoding(message);
    return switch (kind) {
      case BULK_FETCH -> fetched(id, in);
      case BULK_OFFER -> offered(id, in);
      case BULK_GRANT -> granted(id, in);
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

  /** Takes the progress of a transfer. */
  @Override
  public @Nullable String takeUnnumbered(FrameKind kind, long id, WireDecoder in) {
    long upTo = in.readVarLong();
    OutgoingTransfer transfer = outgoing.get(id);
    if (transfer == null) {
      return null; // unnumbered, so it may come late
    }
    return upTo < 0 ? "progress of " + upTo : transfer.progressed(upTo);
  }

  private @Nullable String unknown(FrameKind kind, long id) {
    return ids.mayHaveBeen(id) ? null : kind + " for transfer " + id + ", which has not begun";
  }

  private @Nullable String fetched(long id, WireIn in) {
    long object = in.readLong();
    long key = in.readLong();
    long offset = in.readVarLong();
    long length = in.readVarLong();
    int flags = in.readByte();
    if ((flags & ~CHECKED) != 0) {
      return "a fetch with unknown flags " + flags;
    }
    String wrong = ids.begun(FrameKind.BULK_FETCH, id);
    if (wrong != null || refusesMore(id)) {
      return wrong;
    }
    PublishedObjects shelf = session.context().bulk().shelf();
    String title = shelf.title(object);
    TransferHandle handle = new TransferHandle(session.loop(), title);
    Published.Fetch fetch = new Published.Fetch(session.peer(), handle);
    PublishedObjects.PublishedObject shelved = shelf.use(object, key, fetch);
    if (shelved == null) {
      TransferProblem missing = shelf.missing(object);
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
    handle.whence(() -> shelved.inWords() + " to " + session.peer().address());
    send(
        new OutgoingTransfer(
            this,
            handle,
            id,
            shelved.source().slice(offset, length),
            (flags & CHECKED) != 0,
            false,
            () -> shelved.used(fetch)));
    return null;
  }

  /** Refuses a transfer of the peer if it has too many under way, or if no more may begin. */
  private boolean refusesMore(long id) {
    if (refusal != null) {
      refuse(id, RpcStatus.UNAVAILABLE, refusal);
      return true;
    }
    return hasTooMany(id);
  }

  private boolean hasTooMany(long id) {
    boolean many = ids.isFull();
    if (many) {
      refuse(
          id,
          RpcStatus.RESOURCE_EXHAUSTED,
          "more than " + TransferIds.MOST_OF_PEER + " transfers at once");
    }
    return many;
  }

  private @Nullable String offered(long id, WireIn in) {
    long length = in.readVarLong();
    int flags = in.readByte();
    String name = in.readString();
    if ((flags & ~(CHECKED | CARRIED | UNCHECKED)) != 0) {
      return "an offer with unknown flags " + flags;
    }
    if (length < 0 || name.length() > MOST_NAME_BYTES) {
      return "an offer of " + length + " bytes";
    }
    if (ids.isOwn(id) && TransferIds.isAnswer(id)) {
      IncomingTransfer transfer = incoming.get(id);
      if (transfer != null) {
        return transfer.offered(length);
      }
      refuse(id, RpcStatus.CANCELLED, "its call was abandoned"); // before the answer
      return null;
    }
    boolean carried = (flags & CARRIED) != 0;
    IncomingTransfer landing = early.waits(id) ? incoming.get(id) : null;
    if (landing == null) {
      String wrong = ids.begun(FrameKind.BULK_OFFER, id);
      if (wrong != null) {
        return wrong;
      }
    } else if (length < 1 || length > landing.destination().capacity()) {
      return "an offer of " + length + " bytes for memory that was granted before";
    } else {
      early.waitsNoLonger(id);
    }
    pushed(id, name, length, checksum(flags), carried, landing);
    return null;
  }

  /** Returns when the sender of an offer expects a checksum to be compared. */
  private static Checksum checksum(int flags) {
    if ((flags & CHECKED) != 0) {
      return Checksum.ALWAYS;
    }
    return (flags & UNCHECKED) != 0 ? Checksum.NEVER : Checksum.FILES;
  }

  /**
   * Takes the offer of a push.
   *
   * @param landing waits for it with open memory; null if none does
   */
  private void pushed(
      long id,
      String name,
      long length,
      Checksum checksum,
      boolean carried,
      @Nullable IncomingTransfer landing) {
    PushTaker takes = takerOrRefusal(id, carried);
    if (takes == null) {
      if (landing != null) {
        landing.drop();
      }
      return;
    }
    TransferHandle handle = new TransferHandle(session.loop(), "push '" + name + "'");
    PushHandler.Offer offer = new PushHandler.Offer(name, length, handle);
    receive(
            new IncomingTransfer(
                this,
                handle,
                id,
                null,
                checksum,
                received -> {
                  boolean pooled = received instanceof Arrived arrived && arrived.isPooled();
                  takes.hand(session, offer, received);
                  if (pooled && refusal == null && checksum != Checksum.ALWAYS) {
                    openEarly(early.afterPush(length));
                  }
                  return Arrived.elsewhere(length); // only the handler has it
                }))
        .ask(takes, offer, landing);
  }

  /** Returns who takes a push; null if it was refused. */
  private @Nullable PushTaker takerOrRefusal(long id, boolean carried) {
    PushTaker takes = carried ? carriedTaker : taker;
    if (takes == null) {
      refuse(id, RpcStatus.UNIMPLEMENTED, "no handler takes pushes: set objects().onPush(…)");
      return null;
    }
    boolean refused =
        carried ? hasTooMany(id) : refusesMore(id); // calls go on while this end drains
    return refused ? null : takes;
  }

  /** Opens so much memory for the next push. */
  private void openEarly(long bytes) {
    if (bytes > 0) {
      IncomingTransfer landing = IncomingTransfer.early(this, ids.nextId(), bytes);
      early.waitsFor(landing.id, bytes);
      incoming.put(landing.id, landing);
      landing.openEarly();
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
    Grant grant = new Grant(generation, offset, length, epoch, advertisement);
    OutgoingTransfer transfer = outgoing.get(id);
    if (transfer != null) {
      return transfer.granted(grant);
    }
    if (TransferIds.isAnswer(id) && !ids.isOwn(id)) {
      return landing(TransferIds.number(id), grant);
    }
    return TransferIds.isOfACall(id) || ids.isOwn(id)
        ? unknown(FrameKind.BULK_GRANT, id)
        : early.granted(id, grant);
  }

  /**
   * Takes a grant for the answer to a call, sent right before its request. Returns the protocol
   * violation, or null.
   */
  private @Nullable String landing(long callId, Grant grant) {
    List<Grant> known = landings.get(callId);
    if (known == null) {
      if (callId <= lastOfPeer.getAsLong()) {
        return null; // the call has been answered, or will not be
      }
      if (landings.size() >= session.limits().maxCalls()) {
        return "landings for more than " + session.limits().maxCalls() + " calls";
      }
      known = new ArrayList<>();
      landings.put(callId, known);
    }
    if (known.size() >= MOST_GRANTS) {
      return "more than " + MOST_GRANTS + " grants for call " + callId;
    }
    if (!known.isEmpty() && known.getFirst().generation() < grant.generation()) {
      known.clear();
    }
    known.add(grant);
    return null;
  }

  /** Hands over the grants for the answer to a call. */
  List<Grant> takeLanding(long callId) {
    List<Grant> granted = landings.remove(callId);
    return granted == null ? List.of() : granted;
  }

  private @Nullable String cancelled(long id, WireIn in) {
    RpcStatus status = RpcStatus.ofCode(in.readByte());
    String why = in.readString();
    BulkTransfer transfer = find(id);
    if (transfer != null) {
      transfer.fail(status, "on the other end: " + why, null, false);
      return null;
    }
    if (TransferIds.isAnswer(id) && !ids.isOwn(id)) {
      landings.remove(TransferIds.number(id)); // the peer no longer waits for the answer
    }
    early.closed(id);
    return unknown(FrameKind.BULK_CANCEL, id);
  }

  // ---- events of the session, and its questions ----

  @Override
  public boolean takesTurns() {
    return takesTurns;
  }

  @Override
  public boolean wantsTurn() {
    return wantsLink();
  }

  @Override
  public boolean wantsLink() {
    return !outgoing.isEmpty() || incoming.size() > early.waiting() || ids.isAnyWaiting();
  }

  /** Returns whether a transfer is under way, or a sender has yet to be told of its end. */
  @Override
  public boolean isBusy() {
    return wantsLink() || !untold.isEmpty();
  }

  @Override
  public void beforeMessage() {
    tellSenders();
  }

  @Override
  public void lastWords() {
    tellSenders();
  }

  @Override
  public void draining(String reason) {
    refusal = reason;
  }

  @Override
  public void pathChanged() {
    List.copyOf(incoming.values()).forEach(IncomingTransfer::moveOn);
    failIfNoBulk();
    if (!turns.isEmpty()) {
      session.schedulePump();
    }
  }

  @Override
  public void pathClosed(BulkPath path) {
    path.closed();
    all().forEach(transfer -> transfer.pathClosed(path));
  }

  private List<BulkTransfer> all() {
    List<BulkTransfer> all = new ArrayList<>(outgoing.values());
    all.addAll(incoming.values());
    return all;
  }

  void failIfNoBulk() {
    if (session.movesNoBulk()) {
      failAll(RpcStatus.UNIMPLEMENTED, "the links of this session move no large objects", false);
    }
  }

  @Override
  public void noLink(RpcStatus status, String reason) {
    failAll(status, reason, true);
  }

  /**
   * Fails every transfer, because there is no peer or no usable link.
   *
   * @param tellPeer whether there is a peer to tell
   */
  private void failAll(RpcStatus status, String why, boolean tellPeer) {
    ids.failWaiting(status, why);
    all().forEach(transfer -> transfer.fail(status, why, null, tellPeer));
    landings.clear();
    if (tellPeer) {
      early.giveBack();
    } else {
      early.forget();
    }
  }

  @Override
  public void peerGone(RpcStatus status, String reason, boolean forGood) {
    failAll(forGood ? status : RpcStatus.UNAVAILABLE, reason, false);
    forgetUntold();
    if (!forGood) {
      ids.peerLost();
    }
  }
}
