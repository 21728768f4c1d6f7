package io.verbena.api.bulk;

import org.jspecify.annotations.Nullable;

/** Takes the objects that a peer pushes. Called on handler threads, where it may block. */
public interface PushHandler {
  /**
   * Says where an object goes.
   *
   * @return null to refuse it
   */
  @Nullable Landing offered(Offer offer);

  /** An object has arrived, whole. Pooled memory is the handler's to close. */
  default void received(Offer offer, Received received) {
    received.close();
  }

  /**
   * Returns whether this is called on the event loop instead, which saves two changes of thread for
   * each object: then it must neither block nor take long, since everything else waits meanwhile.
   */
  default boolean nonBlocking() {
    return false;
  }

  /**
   * An object that a peer wants to send.
   *
   * @param name given by the peer; trust nothing in it
   * @param length in bytes
   */
  record Offer(String name, long length) {}
}
