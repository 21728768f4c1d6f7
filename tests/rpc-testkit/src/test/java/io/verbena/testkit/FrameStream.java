package io.verbena.testkit;

import io.verbena.link.SendResult;
import io.verbena.link.memory.Slot;
import io.verbena.link.memory.SlotPool;
import java.util.Arrays;
import java.util.Random;

/**
 * Frames of random lengths and content, made anew from their seed on the side that receives them,
 * so that any amount can be checked without being remembered.
 */
final class FrameStream {
  private final Random lengths;
  private final Random content;
  private final int maxFrameBytes;
  private long made;

  FrameStream(long seed, int maxFrameBytes) {
    this.lengths = new Random(seed);
    this.content = new Random(~seed);
    this.maxFrameBytes = maxFrameBytes;
  }

  /** Returns the next frame; every eighth is the shortest or the longest there is. */
  byte[] next() {
    int length =
        switch ((int) (made++ % 16)) {
          case 7 -> 1;
          case 15 -> maxFrameBytes;
          default -> 1 + lengths.nextInt(Math.min(maxFrameBytes, 1 << lengths.nextInt(1, 18)));
        };
    byte[] frame = new byte[length];
    content.nextBytes(frame);
    return frame;
  }

  /** Sends a stream through one end of a link, as fast as there is room. */
  static final class Sender {
    private final LinkEnd end;
    private final FrameStream stream;
    private final SlotPool pool;
    private final int total;
    private int sent;
    private byte[] next;
    private boolean writable = true;

    Sender(LinkEnd end, FrameStream stream, SlotPool pool, int total) {
      this.end = end;
      this.stream = stream;
      this.pool = pool;
      this.total = total;
      this.next = stream.next();
      end.heard().onWritable(() -> writable = true);
    }

    /** Sends what there is room for. */
    void send() {
      while (writable && sent < total) {
        Slot slot = pool.claim();
        if (slot == null) {
          break;
        }
        slot.buffer().put(0, next);
        slot.length(next.length);
        SendResult result = end.link().send(slot);
        slot.release();
        switch (result) {
          case SENT -> {
            sent++;
            next = stream.next();
          }
          case BACK_PRESSURED -> writable = false;
          case CLOSED -> throw new AssertionError("closed after " + sent + " frames");
        }
      }
      end.link().flush();
    }
  }

  /** Checks that a stream arrives at one end of a link. */
  static final class Receiver {
    private final FrameStream stream;
    private int received;

    Receiver(LinkEnd end, FrameStream stream) {
      this.stream = stream;
      end.heard().onFrame(this::check);
    }

    private void check(byte[] frame) {
      byte[] expected = stream.next();
      if (!Arrays.equals(frame, expected)) {
        throw new AssertionError(
            "frame %d arrived as %d bytes, which are not the %d that were sent"
                .formatted(received, frame.length, expected.length));
      }
      received++;
    }

    int received() {
      return received;
    }
  }
}
