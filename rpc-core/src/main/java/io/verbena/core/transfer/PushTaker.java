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
 * Receives a session's pushes with the user's handler. While too many calls of the handler have not
 * returned, further objects wait for their turn. On the loop, except for its constructor.
 */
final class PushTaker {
  private static final ThrottledLog HANDLER_FAILED =
      ThrottledLog.of(PushTaker.class, "push handlers that failed");

  /** Enough for an honest peer, which has fewer pushes under way. */
  private static final int MOST_CALLS = 1024;

  private final PushHandler handler;

  /** Whether the handler runs on the loop instead of a handler thread. */
  final boolean onLoop;

  private final ArrayDeque<Runnable> waiting = new ArrayDeque<>();

  /** The calls on handler threads that have not returned. */
  private int calls;

  /** Asks the handler for its thread. On the thread of the caller that sets the handler. */
  PushTaker(PushHandler handler) {
    this.handler = handler;
    this.onLoop = handler.nonBlocking();
  }

  /** Asks the handler for a landing, on the thread that {@link #onLoop} says. */
  Landing ask(PushHandler.Offer offer) throws TransferProblem {
    Landing landing = handler.offered(offer);
    if (landing == null) {
      throw new TransferProblem(RpcStatus.PERMISSION_DENIED, "the peer refused it");
    }
    if (offer.length() > landing.capacity()) {
      throw new TransferProblem(
          RpcStatus.INVALID_ARGUMENT,
          "its destination takes "
              + landing.capacity()
              + " bytes, the object has "
              + offer.length());
    }
    return Destination.watched(landing, offer.transfer());
  }

  /** Runs a call of the handler elsewhere, now or in its turn. {@link #returned} must follow. */
  void call(Runnable start) {
    if (calls < MOST_CALLS) {
      calls++;
      start.run();
    } else {
      waiting.add(start);
    }
  }

  /** Withdraws a call of the handler. Returns false if it has begun. */
  boolean takeBack(Runnable start) {
    return waiting.remove(start);
  }

  void returned() {
    calls--;
    while (calls < MOST_CALLS && !waiting.isEmpty()) {
      call(waiting.remove());
    }
  }

  /**
   * Hands over an arrived object, whose sender knows that it arrived. A failure of the handler
   * affects nothing else.
   */
  void hand(SessionImpl session, PushHandler.Offer offer, Received received) {
    RunOn.Work hand = () -> handler.received(offer, received);
    if (onLoop) {
      RunOn.runHere(hand, failure -> handed(failure, offer, received));
      return;
    }
    calls++; // no waiting: its object is here
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
      HANDLER_FAILED.warn("The handler of push '{}' failed", offer.name(), failure);
      try {
        received.close(); // its handler may have failed before
      } catch (IllegalStateException e) {
        HANDLER_FAILED.warn("The memory of push '{}' stays in use", offer.name(), e);
      }
    }
  }
}
