package io.verbena.api.bulk;

import org.jspecify.annotations.Nullable;

/**
 * Takes the objects that a peer pushes. Called on handler threads, where it may block; on the event
 * loop where it says that it is {@link #nonBlocking}. While 1,024 of its calls for one session have
 * not returned, further objects wait before it is asked for them.
 */
public interface PushHandler {
  /**
   * Says where an object goes. Its transfer waits for that: do not wait for the transfer here.
   *
   * @return null to refuse it
   */
  @Nullable Landing offered(Offer offer);

  /**
   * An object has arrived, whole. Its sender may hear of that before: when all has come, though
   * this end has yet to see that nobody writes there any more. Pooled memory is the handler's to
   * close, here or later, on any thread; until then it counts against {@code bulkMemoryBytes}. If
   * this throws, that is logged, and the object is closed. It is called although an executor of the
   * application's has no thread for it: on one of its own then. A server that drains or is closed
   * waits for the object to arrive, not for this to return.
   */
  default void received(Offer offer, Received received) {
    received.close();
  }

  /**
   * Returns whether this is called on the event loop, which saves two changes of thread for each
   * object. It must neither block nor take long then: everything else waits meanwhile. Asked once,
   * when the handler is set.
   */
  default boolean nonBlocking() {
    return false;
  }

  /**
   * An object that a peer wants to send.
   *
   * @param name given by the peer; trust nothing in it
   * @param length in bytes
   * @param transfer its way here, to be watched or cancelled from now on. Its result is the
   *     object's length alone, for {@link #received} is given the object; or why it did not arrive
   */
  record Offer(String name, long length, Transfer transfer) {}
}
