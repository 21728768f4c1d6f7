package io.verbena.core.bulk.transfer;

import io.verbena.api.RpcStatus;
import io.verbena.api.bulk.Checksum;
import io.verbena.core.bulk.BulkHost;
import io.verbena.core.bulk.BulkPath;
import io.verbena.core.bulk.stat.TransferStat;
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

/** The transfers of one session that are under way, and their turns. On the session's loop. */
class OngoingTransfers {
  /** So long a sender for which nobody waits may not know that all has arrived. */
  private static final long LONGEST_UNTOLD_NANOS = 20_000_000;

  /** So much such senders may keep at a time, a short object counted as the least. */
  private static final long MOST_UNTOLD_BYTES = 1 << 20;

  private static final long LEAST_UNTOLD_BYTES = 16 << 10;

  /** Flags of a fetch and an offer. */
  static final int CHECKED = 1;

  static final int UNCHECKED = 4;

  final BulkHost host;
  final TransferIds ids;
  final Supplies supplies;
  final Rereads rereads;
  private final Long2ObjectHashMap<OutgoingTransfer> outgoing = new Long2ObjectHashMap<>();
  private final Long2ObjectHashMap<BulkTransfer> incoming = new Long2ObjectHashMap<>();
  private final ArrayDeque<OutgoingTransfer> turns = new ArrayDeque<>();
  private final Set<BulkTransfer> progressDue = new LinkedHashSet<>();

  /** What has arrived and its sender does not know of. */
  private final LongArrayList untold = new LongArrayList();

  /** The session knows that there is something to do. */
  private boolean takesTurns;

  private long untoldBytes;
  private long untoldTimer = Timers.NONE;

  /** None yet. */
  OngoingTransfers(BulkHost host) {
    this.host = host;
    this.ids = new TransferIds(host);
    this.supplies = new Supplies(host);
    this.rereads = new Rereads(host);
  }

  /** Returns whether the peer fetches it, or pushes it. */
  boolean isBegunByPeer(long id) {
    return !ids.isOwn(id) && !TransferIds.isOfACall(id);
  }

  /** Returns what is under way, in the order in which it was asked for. */
  public List<TransferStat> stat() {
    return Stream.concat(incoming.values().stream(), outgoing.values().stream())
        .sorted(Comparator.comparingLong(transfer -> transfer.id))
        .map(transfer -> transfer.handle.stat(!(transfer instanceof OutgoingTransfer)))
        .toList();
  }

  /** Returns whether a link is wanted for what is under way. */
  public boolean wantsLink() {
    return !outgoing.isEmpty() || !incoming.isEmpty() || ids.isAnyWaiting();
  }

  /** Returns whether something is under way, or a sender is still to be told of its end. */
  public boolean isBusy() {
    return wantsLink() || !untold.isEmpty();
  }

  /** Returns whether something is to be done, or may be, as messages and frames are sent. */
  public boolean takesTurns() {
    return takesTurns;
  }

  /** There is something to do from now on, as far as is known. */
  final void takeTurns() {
    if (!takesTurns) {
      takesTurns = true;
      host.turnsChanged();
    }
  }

  // ---- begin and end ----

  /** Takes a transfer up, before it begins. */
  <T extends BulkTransfer> T receive(T transfer) {
    takeTurns();
    incoming.put(transfer.id, transfer);
    ids.enters(transfer);
    host.bulkContext().counters().begins(false);
    return transfer;
  }

  /** Takes a transfer up, and begins it. */
  void send(OutgoingTransfer transfer) {
    takeTurns();
    outgoing.put(transfer.id, transfer);
    ids.enters(transfer);
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

  /** It ends without the peer, to which its number means nothing any more, or something else. */
  void forget(BulkTransfer transfer) {
    incoming.remove(transfer.id, transfer);
    progressDue.remove(transfer);
  }

  void ended(BulkTransfer transfer, boolean well) {
    boolean sends = transfer instanceof OutgoingTransfer; // it counts until it is released
    host.bulkContext().counters().ends(sends, well);
    if (sends) {
      outgoing.remove(transfer.id);
    } else {
      forget(transfer);
      ids.leaves(transfer);
    }
  }

  /** Nothing reads any more what was sent, nor makes its checksum. */
  void released(OutgoingTransfer transfer) {
    ids.leaves(transfer);
  }

  // ---- what the peer is told ----

  /** Offers an object to the peer. */
  void sayOffer(long id, long length, Checksum checksum, String name) {
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

  /** All of an object is here: its sender may let go of it. */
  private void sayDone(long id) {
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

  // ---- turns ----

  /** A transfer may have something to write. */
  void queue(OutgoingTransfer transfer) {
    if (!transfer.queued) {
      transfer.queued = true;
      takeTurns();
      turns.add(transfer);
    }
  }

  void written(OutgoingTransfer transfer) {
    queue(transfer);
    host.schedulePump();
  }

  void owesProgress(BulkTransfer transfer) {
    takeTurns();
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
    takesTurns = !turns.isEmpty() || !progressDue.isEmpty() || isBusy();
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
    takeTurns();
    untold.addLong(id);
    untoldBytes += Math.max(length, LEAST_UNTOLD_BYTES);
    if (isBegunByPeer(id) || untoldBytes > MOST_UNTOLD_BYTES) {
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
    long[] whole = untold.toLongArray();
    forgetUntold();
    for (long id : whole) {
      sayDone(id);
    }
  }

  private void forgetUntold() {
    untold.clear();
    untoldBytes = 0;
    host.loop().timers().cancel(untoldTimer);
    untoldTimer = Timers.NONE;
  }

  // ---- what happens to the session ----

  /** The session has other paths than before. */
  public void pathsChanged() {
    List<BulkTransfer> moving = new ArrayList<>(incoming.values());
    moving.forEach(BulkTransfer::pathsChanged);
    failIfNoBulk();
    if (!turns.isEmpty()) {
      host.schedulePump();
    }
  }

  /** A link is closed, and nothing is read or written over it any more. */
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
    if (host.movesNoBulk()) {
      failAll(RpcStatus.UNIMPLEMENTED, "the links of this session move no large objects", false);
    }
  }

  /**
   * Fails every transfer: there is no peer, or no link that may be used.
   *
   * @param tellPeer whether there is a peer, which has to hear of it
   */
  public void failAll(RpcStatus status, String why, boolean tellPeer) {
    ids.failWaiting(status, why);
    all().forEach(transfer -> transfer.fail(status, why, null, tellPeer));
  }

  /** The peer and its numbers are gone. */
  public void peerLost(String why) {
    end(RpcStatus.UNAVAILABLE, why);
    ids.peerLost();
  }

  /** The session is over, and has no links any more. */
  public void end(RpcStatus status, String why) {
    failAll(status, why, false);
    forgetUntold();
  }
}
