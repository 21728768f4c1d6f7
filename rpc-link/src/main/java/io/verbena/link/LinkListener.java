package io.verbena.link;

import java.nio.ByteBuffer;

/** Receives the events of a link, always on the link's event loop. */
public interface LinkListener {
  /**
   * A frame has arrived.
   *
   * @param buffer holds the frame at absolute indices {@code from} (inclusive) to {@code to}
   *     (exclusive), in big-endian order. It is valid until this method returns. Its position and
   *     limit have no meaning.
   */
  void onFrame(ByteBuffer buffer, int from, int to);

  /**
   * Bulk bytes have arrived, or the peer has confirmed some, even if no other callback reports them
   * yet. This counts as a sign of life. The link may have queued an answer, so {@link Link#flush}
   * it at the end of this duty cycle.
   */
  default void onBulkMoved() {}

  /** There is room again after a {@link SendResult#BACK_PRESSURED}. */
  void onWritable();

  /**
   * The link is gone. This is called exactly once, as the last event.
   *
   * @param reason in words, such as {@code "the peer closed the connection"}
   */
  void onClosed(String reason);

  /**
   * The link is gone, because one end does not trust the other. This is called in place of {@link
   * #onClosed}.
   *
   * @param reason in words
   */
  default void onUntrusted(String reason) {
    onClosed(reason);
  }
}
