package io.verbena.core.bulk.transfer;

import io.verbena.api.RpcStatus;
import io.verbena.api.bulk.Checksum;
import io.verbena.api.bulk.PushHandler;
import io.verbena.api.bulk.TransferOptions;
import io.verbena.core.bulk.BulkHost;
import io.verbena.core.bulk.destination.AskedDestination;
import io.verbena.core.bulk.destination.PushTaker;
import io.verbena.core.bulk.source.OpenSource;
import org.jspecify.annotations.Nullable;

/** What is pushed in one session, either way. On the session's loop. */
final class Pushes {
  private final Transfers transfers;
  private final BulkHost host;
  private volatile @Nullable PushTaker taker;

  Pushes(Transfers transfers, BulkHost host) {
    this.transfers = transfers;
    this.host = host;
  }

  /** Begins a push. */
  void begin(
      TransferHandle handle, long id, String name, OpenSource source, TransferOptions options) {
    OutgoingTransfer transfer =
        new OutgoingTransfer(
            transfers, handle, id, source, options.checksum() == Checksum.ALWAYS, () -> {});
    transfers.frames().offer(id, source.length(), options.checksum(), name);
    transfers.send(transfer);
  }

  /** Has a handler take what is offered from now on. Safe for any thread. */
  void takenBy(PushTaker taker) {
    this.taker = taker;
  }

  /** The peer offers an object. */
  void offered(long id, String name, long length, Checksum checksum) {
    PushTaker asked = taker;
    if (asked == null) {
      transfers
          .frames()
          .refuse(
              id, RpcStatus.UNIMPLEMENTED, "nothing takes pushes there: set objects().onPush(…)");
    } else if (!transfers.refusesMore(id)) {
      TransferHandle handle = new TransferHandle(host.loop(), "push '" + name + "'");
      PushHandler.Offer offer = new PushHandler.Offer(name, length, handle);
      AskedDestination destination = new AskedDestination(host, asked, offer);
      transfers
          .receive(
              new IncomingTransfer(transfers, handle, id, destination, checksum, received -> {}))
          .begin(length);
    }
  }
}
