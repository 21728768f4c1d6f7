package io.verbena.core.transfer;

import io.verbena.api.RpcStatus;
import io.verbena.api.bulk.Checksum;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.Received;
import io.verbena.api.bulk.TransferException;
import io.verbena.core.bulk.OpenSource;
import io.verbena.core.session.SessionImpl;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Objects and large values that calls of one session move beside their messages. An answer may go
 * to the caller's landing. The calls limit the number of these transfers and number them. On the
 * session's loop.
 */
public final class CallTransfers {
  private final Transfers transfers;
  private final SessionImpl session;
  private final ArrayDeque<LargeValueDestination> growing = new ArrayDeque<>();

  public CallTransfers(Transfers transfers) {
    this.transfers = transfers;
    this.session = transfers.session;
  }

  private long idOfCall(long callId, int kind, boolean ownCall) {
    return TransferIds.of(callId, kind, ownCall == session.role().isClient());
  }

  // ---- answers ----

  /**
   * Opens the landing for the answer to a call of this end, before the request is sent.
   *
   * @param received takes the received object
   * @param failed takes the failure, once nothing writes into the landing any more
   * @return the transfer of the answer, which can be failed
   */
  public IncomingTransfer await(
      long callId,
      String call,
      Landing landing,
      Consumer<Received> received,
      BiConsumer<RpcStatus, String> failed) {
    TransferHandle handle = new TransferHandle(session.loop(), "the answer of " + call);
    IncomingTransfer transfer =
        new IncomingTransfer(
            transfers,
            handle,
            idOfCall(callId, TransferIds.ANSWER, true),
            IncomingTransfer.destination(session, landing),
            Checksum.FILES,
            arrived -> {
              received.accept(arrived);
              return arrived;
            });
    tellFailure(handle, failed);
    transfers.receive(transfer).beginBeforeOffer();
    try {
      Destination.watched(landing, handle);
    } catch (Throwable e) { // users' code
      transfer.broken(e);
    }
    return transfer;
  }

  private static void tellFailure(TransferHandle handle, BiConsumer<RpcStatus, String> failed) {
    handle
        .result()
        .whenComplete(
            (whole, problem) -> {
              if (problem instanceof TransferException failure) {
                failed.accept(failure.status(), String.valueOf(failure.getMessage()));
              }
            });
  }

  /**
   * Answers a call of the peer.
   *
   * @param whenReleased runs once nothing reads the source any more, and does not throw
   */
  public void answer(long callId, String call, OpenSource source, Runnable whenReleased) {
    long id = idOfCall(callId, TransferIds.ANSWER, false);
    TransferHandle handle = new TransferHandle(session.loop(), "the answer of " + call);
    transfers.sendOffer(id, source.length(), Checksum.FILES, "", false);
    OutgoingTransfer transfer =
        new OutgoingTransfer(transfers, handle, id, source, false, false, whenReleased);
    transfers.send(transfer);
    transfer.granted(transfers.takeLanding(callId));
    session.schedulePump();
  }

  // ---- large values ----

  private static int valuesKind(boolean request) {
    return request ? TransferIds.REQUEST_VALUES : TransferIds.REPLY_VALUES;
  }

  /**
   * Sends the large values of a message of this end. The message already has its number. The
   * receiver reports a failure to send them, because only the receiver knows whether the call was
   * executed.
   *
   * @param request whether the message is a request, not a reply
   */
  public void sendLargeValues(
      long callId, boolean request, String call, LargeValuesOut largeValues) {
    long id = idOfCall(callId, valuesKind(request), request);
    TransferHandle handle = new TransferHandle(session.loop(), "large values of " + call);
    transfers.send(
        new OutgoingTransfer(
            transfers, handle, id, largeValues.source(), false, false, largeValues::close));
    session.schedulePump();
  }

  /**
   * Receives the large values of a message of the peer.
   *
   * @param request whether the message is a request, not a reply
   * @param arena the owner of segments; null: the heap
   * @param timeout the longest time; null: unlimited
   * @param arrived takes the values, and a callback that releases their memory, for which they
   *     count
   */
  public IncomingTransfer receiveLargeValues(
      long callId,
      boolean request,
      String call,
      LargeValueTable table,
      @Nullable Arena arena,
      @Nullable Duration timeout,
      BiConsumer<MemorySegment[], Runnable> arrived,
      BiConsumer<RpcStatus, String> failed) {
    LargeValueDestination destination = new LargeValueDestination(session, table, arena, growing);
    TransferHandle handle = new TransferHandle(session.loop(), "large values of " + call);
    IncomingTransfer transfer =
        new IncomingTransfer(
            transfers,
            handle,
            idOfCall(callId, valuesKind(request), !request),
            destination,
            Checksum.NEVER,
            received -> {
              destination.releaseBlocks();
              arrived.accept(destination.values, destination::release);
              return received;
            });
    handle.limit(timeout);
    tellFailure(handle, failed);
    transfers.receive(transfer).begin(table.total());
    transfers.failIfNoBulk();
    return transfer;
  }

  /** Asks the peer not to send the large values of its message. */
  public void refuseLargeValues(long callId, boolean request, RpcStatus status, String why) {
    transfers.refuse(idOfCall(callId, valuesKind(request), !request), status, why);
  }

  /**
   * Ends the transfers of a call that this end abandoned. Its values are of no use in either
   * direction.
   */
  public void abandoned(long callId) {
    abandon(idOfCall(callId, TransferIds.REQUEST_VALUES, true));
    abandon(idOfCall(callId, TransferIds.REPLY_VALUES, true));
  }

  private void abandon(long id) {
    BulkTransfer transfer = transfers.find(id);
    if (transfer != null) {
      transfer.fail(RpcStatus.CANCELLED, "its call was abandoned");
    }
  }
}
