package io.verbena.core.bulk.transfer;

import io.verbena.api.RpcStatus;
import io.verbena.api.bulk.Checksum;
import io.verbena.api.bulk.PushHandler;
import io.verbena.api.bulk.TransferOptions;
import io.verbena.api.wire.WireIn;
import io.verbena.core.bulk.BulkHost;
import io.verbena.core.bulk.BulkPath;
import io.verbena.core.bulk.destination.AskedDestination;
import io.verbena.core.bulk.destination.PushTaker;
import io.verbena.core.bulk.source.OpenSource;
import org.jspecify.annotations.Nullable;

/**
 * What is pushed in one session, either way: who takes the peer's pushes, and which landings stand
 * for them. On the session's loop.
 */
final class Pushes {
  /** No standing landing; they are numbered from 1 on. */
  static final long NO_LANDING = 0;

  private final Transfers transfers;
  private final BulkHost host;
  private final StandingLandings landings;
  private final StandingTargets targets;
  private volatile @Nullable PushTaker taker;

  Pushes(Transfers transfers, BulkHost host) {
    this.transfers = transfers;
    this.host = host;
    this.landings = new StandingLandings(host);
    this.targets = new StandingTargets(host);
  }

  /** Begins a push, at once into a landing of the peer's where one stands that it fits. */
  void begin(
      TransferHandle handle, long id, String name, OpenSource source, TransferOptions options) {
    OutgoingTransfer transfer =
        new OutgoingTransfer(
            transfers, handle, id, source, options.checksum() == Checksum.ALWAYS, () -> {});
    StandingTargets.Target target = targets.take(source.length());
    if (target != null) {
      transfer.goInto(target);
    }
    transfers
        .frames()
        .offer(
            id,
            source.length(),
            options.checksum(),
            name,
            target == null ? NO_LANDING : target.number);
    transfers.send(transfer);
  }

  /** Has a handler take what is offered from now on. Safe for any thread. */
  void takenBy(PushTaker taker) {
    this.taker = taker;
    host.loop().execute(landings::want);
  }

  /** Returns what is wrong with the landing that an offer names, or null. */
  @Nullable String wrongWith(long landing, long length) {
    return landing == NO_LANDING ? null : landings.wrongWith(landing, length);
  }

  /**
   * The peer offers an object.
   *
   * @param landing where it comes; {@link #NO_LANDING} where it waits for a grant
   */
  void offered(long id, String name, long length, Checksum checksum, long landing) {
    StandingLandings.Landing standing = landings.find(landing);
    PushTaker asked = taker;
    if (asked == null) {
      transfers
          .frames()
          .refuse(
              id, RpcStatus.UNIMPLEMENTED, "nothing takes pushes there: set objects().onPush(…)");
    } else if (transfers.refusesMore(id)) {
      if (standing != null) {
        standing.drop();
      }
    } else {
      IncomingTransfer transfer = taken(id, name, length, checksum, asked);
      if (landing != NO_LANDING) {
        transfer.comesInto(standing);
      }
      transfers.receive(transfer).begin(length);
    }
  }

  private IncomingTransfer taken(
      long id, String name, long length, Checksum checksum, PushTaker asked) {
    TransferHandle handle = new TransferHandle(host.loop(), "push '" + name + "'");
    PushHandler.Offer offer = new PushHandler.Offer(name, length, handle);
    return new IncomingTransfer(
        transfers, handle, id, new AskedDestination(host, asked, offer), checksum, received -> {});
  }

  /** The peer has opened a landing; returns what is wrong with that, or null. */
  @Nullable String told(long number, WireIn in) {
    return targets.told(number, in);
  }

  void pathsChanged() {
    landings.pathsChanged();
  }

  void pathClosed(BulkPath path) {
    landings.pathClosed(path);
  }

  /** The peer and its landings are gone. */
  void peerLost() {
    targets.clear();
  }

  /** The session is over. */
  void end() {
    landings.end();
    targets.clear();
  }
}
