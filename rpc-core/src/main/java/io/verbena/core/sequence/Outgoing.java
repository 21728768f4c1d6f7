package io.verbena.core.sequence;

import io.verbena.codec.LargeValues;
import io.verbena.link.memory.Slot;
import org.jspecify.annotations.Nullable;

/** A message that waits for its turn on the link. */
public interface Outgoing {
  /**
   * Hands over the encoded message, header and body; from then on the outbox owns the slot. Null if
   * it shall not be sent after all, such as a call that was cancelled meanwhile.
   */
  @Nullable Slot takeSlot();

  /** The message got this sequence number; for a message of several frames, that of its last. */
  default void numbered(long sequence) {}

  /** The message has left some values out, which are to be sent beside it from now on. */
  default void sendParts(LargeValues parts) {
    parts.close();
  }

  /**
   * Returns the memory that the message holds while it waits, if it is for the peer to have it
   * taken away by reading; 0 if this end's own callers wait with it.
   */
  int answerBytes();

  /**
   * Returns whether a message that was never sent goes to the peer's next incarnation when the peer
   * has lost the session: a new call does, an answer to the old peer does not.
   */
  default boolean outlivesPeer() {
    return false;
  }

  /**
   * The message is longer than the peer takes, and was not sent.
   *
   * @param limit the longest message that the peer takes, in bytes
   */
  void tooLong(int length, int limit);
}
