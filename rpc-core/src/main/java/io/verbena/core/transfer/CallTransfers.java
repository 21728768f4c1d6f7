package io.verbena.core.transfer;

import io.verbena.api.RpcStatus;
import io.verbena.api.bulk.Checksum;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.Received;
import io.verbena.api.bulk.TransferException;
import io.verbena.core.bulk.OpenSource;
import io.verbena.core.session.SessionImpl;
import io.verbena.core.transfer.OutgoingTransfer.Grant;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What the calls of one session move beside their messages: answers that go to a landing, and large
 * values. They are as many as calls, and named by them. On the session's loop.
 */
public final class CallTransfers {
  private final Transfers transfers;
  private final SessionImpl session;
  private final ArrayDeque<LargeValueDestination> growing = new ArrayDeque<>();

  /** None yet. */
  public CallTransfers(Transfers transfers) {
    this.transfers = transfers;
    this.session = transfers.session;
  }

  private long idOfCall(long callId, int kind, boolean ownCall) {
    return TransferIds.of(callId, kind, ownCall == session.isClientEnd());
  }

  // ---- answers ----

  /**
   * Opens where the answer to a call of this end goes; before its request is sent.
   *
   * @param received hears what was received
   * @param failed hears why nothing was, when nothing is written into its landing any more
   * @return the answer, which may be given up
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
   * Answers a call of the peer's.
   *
   * @param whenReleased runs once the source is read no more, and does not throw
   */
  public void answer(long callId, String call, OpenSource source, Runnable whenReleased) {
    long id = idOfCall(callId, TransferIds.ANSWER, false);
    TransferHandle handle = new TransferHandle(session.loop(), "the answer of " + call);
    transfers.sayOffer(id, source.length(), Checksum.FILES, "");
    OutgoingTransfer transfer =
        new OutgoingTransfer(transfers, handle, id, source, false, whenReleased);
    transfers.send(transfer);
    for (Grant grant : transfers.takeLanding(callId)) {
      String wrong = transfer.granted(grant);
      if (wrong != null) {
        transfer.fail(RpcStatus.PROTOCOL_ERROR, wrong);
      }
    }
    session.schedulePump();
  }

  // ---- large values ----

  private static int partsOf(boolean request) {
    return request ? TransferIds.REQUEST_PARTS : TransferIds.REPLY_PARTS;
  }

  /**
   * Sends what a message of this end's left out; its number has been given. That it cannot be sent
   * is for the receiving end to say, which knows whether the call was executed.
   *
   * @param request whether the message is a request, not a reply
   */
  public void sendParts(long callId, boolean request, String call, LargeValuesOut parts) {
    long id = idOfCall(callId, partsOf(request), request);
    TransferHandle handle = new TransferHandle(session.loop(), "large values of " + call);
    transfers.send(
        new OutgoingTransfer(transfers, handle, id, parts.source(), false, parts::close));
    session.schedulePump();
  }

  /**
   * Receives what a message of the peer's left out.
   *
   * @param request whether the message is a request, not a reply
   * @param arena what segments go to; null: the heap
   * @param timeout how long it may take; null: as long as it takes
   * @param arrived takes the values, and what gives back their memory, which they count for
   * @return what is on its way
   */
  public IncomingTransfer receiveParts(
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
            idOfCall(callId, partsOf(request), !request),
            destination,
            Checksum.NEVER,
            received -> {
              destination.releaseBlocks();
              arrived.accept(destination.values(), destination::release);
              return received;
            });
    handle.limit(timeout);
    tellFailure(handle, failed);
    transfers.receive(transfer).begin(table.total());
    transfers.failIfNoBulk();
    return transfer;
  }

  /** Has the peer not send what a message of its left out. */
  public void refuseParts(long callId, boolean request, RpcStatus status, String why) {
    transfers.refuse(idOfCall(callId, partsOf(request), !request), status, why);
  }

  /** Nobody waits for a call of this end's any more: neither way are its values of use. */
  public void abandoned(long callId) {
    abandon(idOfCall(callId, TransferIds.REQUEST_PARTS, true));
    abandon(idOfCall(callId, TransferIds.REPLY_PARTS, true));
  }

  private void abandon(long id) {
    BulkTransfer transfer = transfers.find(id);
    if (transfer != null) {
      transfer.fail(RpcStatus.CANCELLED, "its call was given up");
    }
  }
}
