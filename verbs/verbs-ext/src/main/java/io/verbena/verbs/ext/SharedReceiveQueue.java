package io.verbena.verbs.ext;

import java.io.IOException;

/**
 * Receives that several queue pairs share. A queue pair joins when it is created, by {@code
 * IbvQPInitAttr.setSrq(srq.handle())}.
 *
 * <p>Safe for use by several threads.
 */
public interface SharedReceiveQueue {
  /** Returns the provider's token of this queue, for {@code IbvQPInitAttr.setSrq}. */
  long handle();

  /** Returns the number of receives that it can hold, at least the requested one. */
  int maxRequests();

  /**
   * Posts receives like {@link VerbsQp#postReceive(ReceiveBlock, int, int)}.
   *
   * @return the number of posted receives; fewer than {@code count} if the queue is full
   */
  int postReceive(ReceiveBlock block, int first, int count) throws IOException;

  /**
   * Arms the limit. Once fewer than {@code limit} receives are posted, the device reports {@link
   * AsyncEvent.Type#SRQ_LIMIT_REACHED} once, and the limit is disarmed. 0 disarms it.
   */
  void armLimit(int limit) throws IOException;

  /**
   * Destroys the queue. Fails with EBUSY while a queue pair uses it, and with EBADF the second
   * time.
   */
  void destroy() throws IOException;
}
