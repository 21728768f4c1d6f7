package io.verbena.core.transfer;

import io.verbena.api.RpcStatus;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.PushHandler;
import io.verbena.api.bulk.Received;
import io.verbena.core.bulk.RunOn;
import io.verbena.core.bulk.TransferProblem;
import io.verbena.core.session.SessionImpl;
import io.verbena.link.runtime.ThrottledLog;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Who takes a session's pushes, and where. As long as many of the handler's calls have not returned
 * it is asked for no more objects, which wait for their turn. On the loop, but {@link #of}.
 */
final class PushTaker {
  private static final ThrottledLog HANDLER_FAILED =
      ThrottledLog.of(PushTaker.class, "push handlers that failed");

  /** Enough for any honest peer, which has fewer pushes under way. */
  private static final int MOST_CALLS = 1024;

  private final PushHandler handler;
  private final boolean onLoop;
  private final ArrayDeque<Runnable> waiting = new ArrayDeque<>();

  /** Calls on handler threads that have not returned. */
  private int calls;

  private PushTaker(PushHandler handler, boolean onLoop) {
    this.handler = handler;
    this.onLoop = onLoop;
  }

  /** Asks the handler where it wants to be called. On the thread of whoever sets it. */
  static PushTaker of(PushHandler handler) {
    return new PushTaker(handler, handler.nonBlocking());
  }

  /** Asks the handler where an object goes. Where it is to be called, see {@link #onLoop}. */
  Landing ask(PushHandler.Offer offer) throws TransferProblem {
    Landing landing = handler.offered(offer);
    if (landing == null) {
      throw new TransferProblem(RpcStatus.PERMISSION_DENIED, "it was refused by the peer");
    }
    if (offer.length() > landing.capacity()) {
      throw new TransferProblem(
          RpcStatus.INVALID_ARGUMENT,
          "its destination takes " + landing.capacity() + " bytes, and it has " + offer.length());
    }
    return Destination.watched(landing, offer.transfer());
  }

  /** Returns whether the handler is called on the loop, and not on a handler thread. */
  boolean onLoop() {
    return onLoop;
  }

  /** Runs what calls the handler elsewhere, now or in its turn; {@link #returned} is to follow. */
  void call(Runnable start) {
    if (calls < MOST_CALLS) {
      calls++;
      start.run();
    } else {
      waiting.add(start);
    }
  }

  /** Has it not called; false if it was already. */
  boolean takeBack(Runnable start) {
    return waiting.remove(start);
  }

  void returned() {
    calls--;
    while (calls < MOST_CALLS && !waiting.isEmpty()) {
      call(waiting.remove());
    }
  }

  /** Hands over what has arrived, and was said to have; a handler that fails now harms nobody. */
  void hand(SessionImpl session, PushHandler.Offer offer, Received received) {
    RunOn.Work hand = () -> handler.received(offer, received);
    if (onLoop) {
      RunOn.runHere(hand, failure -> handed(failure, offer, received));
      return;
    }
    calls++; // it does not wait: its object is here
    RunOn.callSurely(
        session,
        hand,
        failure -> {
          handed(failure, offer, received);
          returned();
        });
  }

  private static void handed(
      @Nullable Throwable failure, PushHandler.Offer offer, Received received) {
    if (failure != null) {
      received.close(); // its handler may not have come that far
      HANDLER_FAILED.warn("The handler of push '{}' failed", offer.name(), failure);
    }
  }
}
