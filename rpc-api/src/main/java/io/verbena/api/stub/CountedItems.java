package io.verbena.api.stub;

import java.util.concurrent.Flow;

/**
 * A subscription to a stream that arrives over a session, for a subscriber that keeps items for
 * later. Their memory counts, and limits the requests to the peer, until they are used.
 */
public interface CountedItems extends Flow.Subscription {
  /**
   * Reports that so many more items have been used. A subscriber calls it first before it requests
   * an item. From then on an item counts until it is reported here. Safe for use by any thread.
   */
  void used(int number);

  /**
   * Checks that the calling thread may wait for items. Safe for use by any thread.
   *
   * @throws IllegalStateException on an event loop, which would wait for itself
   */
  void checkMayWait();

  /**
   * Returns whether items, or the end, can still be delivered. False if the session's event loop
   * has not run since the last call of this method, or if the end has arrived but found no thread
   * to run on. A waiting thread calls it every few seconds while nothing arrives.
   */
  boolean mayTell();
}
