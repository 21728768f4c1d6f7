package io.verbena.link;

/** What became of a frame that was offered to a link. */
public enum SendResult {
  /** The link has the frame. */
  SENT,

  /** No room or no credit now: offer it again after {@link LinkListener#onWritable}. */
  BACK_PRESSURED,

  /** The link is closed, and its listener has been or is being told. */
  CLOSED
}
