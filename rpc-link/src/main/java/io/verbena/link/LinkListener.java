package io.verbena.link;

import java.nio.ByteBuffer;

/** What a link tells its owner, always on the link's event loop. */
public interface LinkListener {
  /**
   * A frame has arrived.
   *
   * @param buffer holds the frame at absolute indices {@code from} (inclusive) to {@code to}
   *     (exclusive), in big-endian order; lent until this method returns. Its position and limit
   *     mean nothing.
   */
  void onFrame(ByteBuffer buffer, int from, int to);

  /**
   * Bulk bytes have moved, if only a part of what somebody is to be told of: some have come, or the
   * peer has said that it has some. A sign of life. The link may have an answer to them, which the
   * owner has it {@link Link#flush} at the end of this duty cycle.
   */
  default void onBulkMoved() {}

  /** There is room again after a {@link SendResult#BACK_PRESSURED}. */
  void onWritable();

  /**
   * The link is gone. Called exactly once; nothing comes after it.
   *
   * @param reason what happened, in words: {@code "the peer closed the connection"}
   */
  void onClosed(String reason);

  /**
   * The link is gone, since one end does not trust who the other is: told in place of {@link
   * #onClosed}.
   *
   * @param reason what happened, in words
   */
  default void onUntrusted(String reason) {
    onClosed(reason);
  }
}
