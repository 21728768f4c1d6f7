package io.verbena.link;

/** The outcome of offering a frame to a link. */
public enum SendResult {
  /** The link has the frame. */
  SENT,

  /**
   * The link has no room or no credit now. Offer the frame again after {@link
   * LinkListener#onWritable}.
   */
  BACK_PRESSURED,

  /** The link is closed, and {@link LinkListener#onClosed} has been called or is being called. */
  CLOSED
}
