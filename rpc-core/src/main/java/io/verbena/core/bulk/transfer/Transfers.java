package io.verbena.core.bulk.transfer;

import io.verbena.api.RpcStatus;
import io.verbena.api.bulk.Checksum;
import io.verbena.api.bulk.ObjectRef;
import io.verbena.api.bulk.TransferOptions;
import io.verbena.api.wire.WireIn;
import io.verbena.core.bulk.BulkHost;
import io.verbena.core.bulk.BulkPath;
import io.verbena.core.bulk.destination.Destination;
import io.verbena.core.bulk.destination.PushTaker;
import io.verbena.core.bulk.source.OpenSource;
import io.verbena.core.bulk.stat.TransferStat;
import io.verbena.core.bulk.supply.ReadAhead;
import io.verbena.core.bulk.supply.Rereads;
import io.verbena.core.frame.FrameKind;
import io.verbena.core.loop.Timers;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.agrona.collections.Long2ObjectHashMap;
import org.agrona.collections.LongArrayList;
import org.jspecify.annotations.Nullable;

/** The transfers of one session, both ways. On the session's loop. */
public final class Transfers {
  /** So long a sender for which nobody waits may not know that all has arrived. */
  private static final long LONGEST_UNTOLD_NANOS = 20_000_000;

  /** So much such senders may keep at a time, a short object counted as the least. */
  private static final long MOST_UNTOLD_BYTES = 1 << 20;

  private static final long LEAST_UNTOLD_BYTES = 16 << 10;

  private final BulkHost host;
  private final CallTransfers calls;
  private final Pushes pushes;
  private final ReadAhead readAhead;
  private final Rereads rereads;
  private final TransferIds admission;
  private final TransferFrames frames;
  private final Long2ObjectHashMap<OutgoingTransfer> outgoing = new Long2ObjectHashMap<>();
  private final Long2ObjectHashMap<IncomingTransfer> incoming = new Long2ObjectHashMap<>();
  private final ArrayDeque<OutgoingTransfer> turns = new ArrayDeque<>();
  private final Set<IncomingTransfer> progressDue = new LinkedHashSet<>();

  /** What has arrived and its sender does not know of. */
  private final LongArrayList untold = new LongArrayList();

  private long untoldBytes;
  private long untoldTimer = Timers.NONE;

  /** Why nothing more of the peer's is taken up; null while it is. */
  private @Nullable String refusal;

  /** No transfers yet. */
  public Transfers(BulkHost host) {
    this.host = host;
    this.calls = new CallTransfers(this, host);
    this.pushes = new Pushes(this, host);
    this.readAhead = new ReadAhead(host.bulkContext().memory(), host.pooled(), host.loop());
    this.rereads = new Rereads(host);
    this.admission = new TransferIds(host);
    this.frames = new TransferFrames(this, host, admission, pushes, calls);
  }

  BulkHost host() {
    return host;
  }

  TransferFrames frames() {
    return frames;
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
          frames.fetch(id, ref, offset, length, checked);
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

  /** Takes a transfer up, before it begins. */
  IncomingTransfer receive(IncomingTransfer transfer) {
    incoming.put(transfer.id, transfer);
    admission.enters(transfer);
    host.bulkContext().counters().begins(false);
    return transfer;
  }

  /** Takes a transfer up, and begins it. */
  void send(OutgoingTransfer transfer) {
    outgoing.put(transfer.id, transfer);
    admission.enters(transfer);
    host.bulkContext().counters().begins(true);
    transfer.begin();
  }

  /** Returns the transfer of this number, either way; null if none is under way. */
  @Nullable BulkTransfer find(long id) {
    BulkTransfer transfer = outgoing.get(id);
    return transfer == null ? incoming.get(id) : transfer;
  }

  @Nullable OutgoingTransfer outgoing(long id) {
    return outgoing.get(id);
  }

  @Nullable IncomingTransfer incoming(long id) {
    return incoming.get(id);
  }

  // ---- frames ----

  /** Takes a numbered frame; returns how the peer broke the protocol, or null. */
  public @Nullable String take(FrameKind kind, long id, WireIn in) {
    return frames.take(kind, id, in);
  }

  /** Takes how far a transfer is; returns how the peer broke the protocol, or null. */
  public @Nullable String takeProgress(long id, WireIn in) {
    return frames.takeProgress(id, in);
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
      frames.refuse(id, RpcStatus.UNAVAILABLE, refusal);
      return true;
    }
    boolean many = admission.isFull();
    if (many) {
      frames.refuse(
          id,
          RpcStatus.RESOURCE_EXHAUSTED,
          "more than " + TransferIds.MOST_OF_PEER + " transfers at once");
    }
    return many;
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

  /**
   * All of an object is here. Who pushed it waits to hear of that. Other senders only let go of
   * what they keep: they are told with the session's next message, or within a while.
   */
  void arrived(long id, long length) {
    untold.addLong(id);
    untoldBytes += Math.max(length, LEAST_UNTOLD_BYTES);
    boolean pushed = !TransferId.isOfACall(id) && !admission.isOwn(id);
    if (pushed || untoldBytes > MOST_UNTOLD_BYTES) {
      tellSenders();
    } else if (untoldTimer == Timers.NONE) {
      untoldTimer =
          host.loop()
              .timers()
              .schedule(
                  host.loop().now() + LONGEST_UNTOLD_NANOS,
                  now -> {
                    untoldTimer = Timers.NONE;
                    tellSenders();
                  });
    }
  }

  /** The session's next message is about to be sent: tells the peer first what has arrived. */
  public void tellSenders() {
    if (untold.isEmpty()) {
      return;
    }
    long[] ids = untold.toLongArray();
    forgetUntold();
    for (long id : ids) {
      frames.done(id);
    }
  }

  private void forgetUntold() {
    untold.clear();
    untoldBytes = 0;
    host.loop().timers().cancel(untoldTimer);
    untoldTimer = Timers.NONE;
  }

  // ---- what happens to the session ----

  /** Returns whether a link is wanted for what is under way. */
  public boolean wantsLink() {
    return !outgoing.isEmpty() || !incoming.isEmpty() || admission.isAnyWaiting();
  }

  /** The session has other paths than before. */
  public void pathsChanged() {
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
    forgetUntold();
    admission.peerLost();
  }

  /** The session is over, and has no links any more. */
  public void end(RpcStatus status, String why) {
    failAll(status, why, false);
    forgetUntold();
  }

  /** It ends without the peer, to which its number means nothing any more, or something else. */
  void forget(IncomingTransfer transfer) {
    incoming.remove(transfer.id, transfer);
    progressDue.remove(transfer);
  }

  void ended(BulkTransfer transfer, boolean well) {
    boolean sends = transfer instanceof OutgoingTransfer; // it counts until it is released
    host.bulkContext().counters().ends(sends, well);
    switch (transfer) {
      case OutgoingTransfer out -> outgoing.remove(out.id);
      case IncomingTransfer in -> {
        forget(in);
        admission.leaves(in);
      }
    }
  }

  /** Nothing reads any more what was sent, nor makes its checksum. */
  void released(OutgoingTransfer transfer) {
    admission.leaves(transfer);
  }
}
