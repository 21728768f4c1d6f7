package io.verbena.api.stub;

import java.util.concurrent.Flow;

/**
 * A subscription to a stream that arrived over a session, for a subscriber that keeps items for
 * later: their memory stays counted, and bounds what is asked of the peer, until they are used.
 */
public interface CountedItems extends Flow.Subscription {
  /**
   * So many more items have been used, of those handed on. From the first time this is called,
   * which is before an item is requested, no other one counts as used. Safe for any thread.
   */
  void used(int number);

  /**
   * Returns whether there is still somebody to tell of items, or of the end: false where the
   * session's event loop has done nothing since this was asked before, or where the end has come,
   * and has found no thread to be told on. Asked every few seconds by a thread that has heard
   * nothing meanwhile.
   */
  boolean mayTell();
}
