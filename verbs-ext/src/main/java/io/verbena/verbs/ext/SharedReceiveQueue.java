package io.verbena.verbs.ext;

import java.io.IOException;

/**
 * Receives that several queue pairs share. A queue pair joins when it is created, by {@code
 * IbvQPInitAttr.setSrq(srq.handle())}.
 *
 * <p>Safe for use by several threads.
 */
public interface SharedReceiveQueue {
  /** What {@code IbvQPInitAttr.setSrq} takes: the provider's token of this queue. */
  long handle();

  /** Receives it can hold; at least as many as asked for. */
  int maxRequests();

  /**
   * Posts receives, as {@link VerbsQp#postReceive(ReceiveBlock, int, int)} does.
   *
   * @return how many were posted; fewer than {@code count} when the queue is full
   */
  int postReceive(ReceiveBlock block, int first, int count) throws IOException;

  /**
   * Arms the limit: once fewer than {@code limit} receives are posted, {@link
   * AsyncEvent.Type#SRQ_LIMIT_REACHED} comes, once, and the limit is disarmed. 0 disarms it.
   */
  void armLimit(int limit) throws IOException;

  /** Fails with EBUSY while a queue pair uses it, and with EBADF the second time. */
  void destroy() throws IOException;
}
