package io.verbena.core.link;

/** What became of a frame that was offered to a link. */
public sealed interface SendResult {
  /** The link has it. */
  Sent SENT = new Sent();

  /** No room or no credit. */
  BackPressured BACK_PRESSURED = new BackPressured();

  /** The link is closed. */
  Closed CLOSED = new Closed();

  /** The link has the frame. */
  record Sent() implements SendResult {}

  /** No room or no credit now: offer it again after {@link LinkListener#onWritable}. */
  record BackPressured() implements SendResult {}

  /** The link is closed, and its listener has been or is being told. */
  record Closed() implements SendResult {}
}
