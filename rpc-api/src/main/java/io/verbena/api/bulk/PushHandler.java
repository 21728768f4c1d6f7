package io.verbena.api.bulk;

import org.jspecify.annotations.Nullable;

/**
 * Accepts the objects that a peer pushes. It is called on handler threads, where it may block. If
 * it is {@link #nonBlocking}, it is called on the event loop. At most 1,024 calls for one session
 * run at a time; further objects wait until a call returns.
 */
public interface PushHandler {
  /**
   * Chooses the landing of an object. The transfer begins when this method returns, so do not wait
   * for the transfer here.
   *
   * @return the landing; null to refuse the object
   */
  @Nullable Landing offered(Offer offer);

  /**
   * Receives an object that has arrived completely. The sender may learn of that earlier, when all
   * bytes have arrived but this end is still waiting until nothing writes to the landing. If a
   * broken device can never assure that, the transfer fails here with {@code INTERNAL}. Close
   * pooled memory here or later, on any thread. Until then it counts against {@code
   * bulkMemoryBytes}. If this method throws, the exception is logged and the object is closed. If
   * the application's executor has no thread for it, this method runs on another thread. A server
   * that drains or is closed waits for the object to arrive, but not for this method to return.
   */
  default void received(Offer offer, Received received) {
    received.close();
  }

  /**
   * Returns whether this handler is called on the event loop, which saves two changes of threads
   * for each object. It must then be short and never block, because everything else on that loop
   * waits. This method is asked once, when the handler is set.
   */
  default boolean nonBlocking() {
    return false;
  }

  /**
   * An object that a peer wants to send.
   *
   * @param name given by the peer; do not trust it
   * @param length of the object, in bytes
   * @param transfer the transfer to this end, to watch or cancel it from now on. Its result has
   *     only a length, because {@link #received} receives the object, or is the reason for its
   *     failure
   */
  record Offer(String name, long length, Transfer transfer) {}
}
