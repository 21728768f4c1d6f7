package io.verbena.testkit;

import io.verbena.link.Link;
import io.verbena.link.SendResult;
import io.verbena.link.memory.Slot;

/**
 * One end of a link under test, with what it was told.
 *
 * @param link the end
 * @param heard what its listener heard
 */
public record LinkEnd(Link link, RecordingListener heard) {
  /** Sends a frame from memory of its own. */
  public SendResult send(byte[] frame) {
    Slot slot = Slot.unpooled(Math.max(1, frame.length));
    slot.buffer().put(0, frame);
    slot.length(frame.length);
    SendResult result = link.send(slot);
    slot.release();
    return result;
  }

  /** Sends a frame that there must be room for, and flushes. */
  public void sendNow(byte[] frame) {
    SendResult result = send(frame);
    if (result != SendResult.SENT) {
      throw new AssertionError("a frame of " + frame.length + " bytes was not sent: " + result);
    }
    link.flush();
  }
}
