package io.verbena.core.bulk;

import io.verbena.api.bulk.PushHandler;
import io.verbena.api.bulk.Received;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Who takes a session's pushes, and where.
 *
 * @param onLoop whether the handler is called on the loop, and not on a handler thread
 */
record PushTaker(PushHandler handler, boolean onLoop) {
  private static final Logger LOG = LoggerFactory.getLogger(PushTaker.class);

  /** Asks the handler where it wants to be called. On the thread of whoever sets it. */
  static PushTaker of(PushHandler handler) {
    return new PushTaker(handler, handler.nonBlocking());
  }

  /** Hands over what has arrived, and was said to have; a handler that fails now harms nobody. */
  void hand(BulkHost host, PushHandler.Offer offer, Received received) {
    OffLoop.Work hand = () -> handler.received(offer, received);
    if (onLoop) {
      OffLoop.runHere(hand, failure -> handed(failure, offer, received));
    } else {
      OffLoop.runSurely(host, hand, failure -> handed(failure, offer, received));
    }
  }

  private static void handed(
      @Nullable Throwable failure, PushHandler.Offer offer, Received received) {
    if (failure != null) {
      received.close(); // its handler may not have come that far
      LOG.warn("The handler of push '{}' failed", offer.name(), failure);
    }
  }
}
