package io.verbena.core.sequence;

import io.verbena.codec.LargeValues;
import io.verbena.link.memory.Slot;
import org.jspecify.annotations.Nullable;

/** A message that waits to be sent. */
public interface Outgoing {
  /**
   * Returns the encoded message, header and body. From then on the outbox owns the slot. Null if
   * the message must not be sent, for instance because its call was cancelled.
   */
  @Nullable Slot takeSlot();

  /**
   * The message has received this sequence number. For a message of several frames it is the number
   * of the last.
   */
  default void numbered(long sequence) {}

  /** Returns whether the message need not be sent any more, because its call has ended. */
  default boolean isDone() {
    return false;
  }

  /** The message was queued without its large values, which must be sent beside it from now on. */
  default void sendLargeValues(LargeValues largeValues) {
    largeValues.close();
  }

  /**
   * Returns the memory that the message holds while it waits for the peer to read; 0 if a caller of
   * this end waits for it.
   */
  int answerBytes();

  /**
   * Returns whether an unsent message goes to the next peer after the session was lost. A new call
   * does; an answer to the old peer does not.
   */
  default boolean outlivesPeer() {
    return false;
  }

  /**
   * The message is longer than the peer accepts and was not sent.
   *
   * @param limit the length of the longest message that the peer accepts, in bytes
   */
  void tooLong(int length, int limit);
}
