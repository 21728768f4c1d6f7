package io.verbena.core.session;

import io.verbena.api.wire.WireOut;
import io.verbena.codec.WireEncoder;
import io.verbena.core.frame.FrameHeader;
import io.verbena.core.frame.FrameKind;
import io.verbena.core.sequence.Outgoing;
import io.verbena.link.memory.Slot;
import io.verbena.link.runtime.ThrottledLog;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** A message of the session itself, in its own memory, so that it never waits for a slot. */
public final class ControlFrame implements Outgoing {
  private static final ThrottledLog TOO_LONG =
      ThrottledLog.of(ControlFrame.class, "control messages that the peer does not take");
  private static final int SMALL = 256;
  private static final int MOST = 16 << 20;
  private static final int DEPTH = 64;

  private final LongConsumer numbered;
  private @Nullable Slot slot;

  private ControlFrame(Slot slot, LongConsumer numbered) {
    this.slot = slot;
    this.numbered = numbered;
  }

  /** Returns a message for an outbox. */
  public static ControlFrame message(FrameKind kind, long callId, Consumer<WireOut> body) {
    return message(kind, callId, body, number -> {});
  }

  /**
   * Returns a message for an outbox.
   *
   * @param numbered receives its sequence number, when it has one
   */
  public static ControlFrame message(
      FrameKind kind, long callId, Consumer<WireOut> body, LongConsumer numbered) {
    return new ControlFrame(slot(kind, 0, callId, body), numbered);
  }

  /** Returns one whole frame. The caller passes it to a link and then releases it. */
  static Slot slot(FrameKind kind, int epoch, long callId, Consumer<WireOut> body) {
    Slot slot = Slot.unpooled(SMALL);
    WireEncoder out = slot.encoder();
    out.start(slot.buffer(), FrameHeader.BYTES, MOST, DEPTH);
    body.accept(out);
    slot.encoded(FrameHeader.BYTES);
    if (slot.length() > SMALL) {
      slot = copied(slot);
    }
    slot.header(FrameHeader.first(kind, 0), FrameHeader.third(callId, 0));
    FrameHeader.write(slot.buffer(), slot.first(), epoch, 0, 0, epoch, slot.third());
    return slot;
  }

  private static Slot copied(Slot spilled) {
    Slot whole = Slot.unpooled(spilled.length());
    whole.buffer().put(0, spilled.content(), 0, spilled.length());
    whole.length(spilled.length());
    return whole;
  }

  @Override
  public @Nullable Slot takeSlot() {
    Slot taken = slot;
    slot = null;
    return taken;
  }

  @Override
  public void numbered(long sequence) {
    numbered.accept(sequence);
  }

  @Override
  public int answerBytes() {
    Slot waiting = slot;
    return waiting == null ? 0 : waiting.capacity();
  }

  @Override
  public void tooLong(int length, int limit) {
    TOO_LONG.warn(
        "A control message of {} bytes was not sent; the peer accepts at most {}", length, limit);
  }
}
