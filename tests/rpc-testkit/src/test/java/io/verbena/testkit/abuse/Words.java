package io.verbena.testkit.abuse;

import io.verbena.codec.WireEncoder;
import io.verbena.core.frame.FrameHeader;
import io.verbena.core.frame.FrameKind;
import io.verbena.core.frame.Hello;
import io.verbena.core.frame.PeerLimits;
import io.verbena.core.frame.SessionKey;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Consumer;

/** What is said by hand on a TCP connection: frames, each behind its length in four bytes. */
final class Words {
  /** Bytes of the length before each frame. */
  static final int PREFIX = Integer.BYTES;

  /** Places of methods of {@link Victim}. */
  private static final int LARGE = 1;

  private static final int STORE = 2;
  private static final int UNLIMITED = -1;
  private static final int MOST = 4096;
  private static final int MOST_DEPTH = 16;
  private static final int MESSAGE_BYTES = 1 << 20;
  private static final int FRAME_BYTES = 64 << 10;
  private static final int CALLS = 64;

  private Words() {}

  /** Returns how a client greets that wants a new session. */
  static byte[] hello() {
    PeerLimits limits = new PeerLimits(MESSAGE_BYTES, FRAME_BYTES, CALLS);
    Hello hello =
        new Hello(
            FrameHeader.VERSION,
            FrameHeader.VERSION,
            0,
            SessionKey.NONE,
            0,
            0,
            limits,
            "",
            List.of(),
            null);
    return frame(FrameKind.HELLO, 0, 0, 0, hello::write);
  }

  /** Returns a sign of life. */
  static byte[] ping() {
    return frame(FrameKind.PING, 0, 0, 0, body -> {});
  }

  /** Returns the beginning of a frame that is to have so many bytes. */
  static byte[] announced(int bytes) {
    return ByteBuffer.allocate(PREFIX).putInt(bytes).array();
  }

  /** Returns the first of the frames of a long call of {@link Victim#store}. */
  static byte[] firstFragment(long sequence, int messageBytes) {
    return frame(
        FrameKind.REQUEST,
        FrameHeader.FLAG_FIRST_FRAGMENT,
        sequence,
        FrameHeader.third(sequence, STORE),
        body -> {
          body.writeInt(messageBytes);
          body.writeVarInt(messageBytes);
        });
  }

  /** Returns a call of {@link Victim#large}. */
  static byte[] large(long sequence, int bytes) {
    return frame(
        FrameKind.REQUEST,
        0,
        sequence,
        FrameHeader.third(sequence, LARGE),
        body -> body.writeVarInt(bytes << 1)); // as the generated serializers write an int: zigzag
  }

  /** Returns an offer of an object, the first that this client makes. */
  static byte[] offer(long sequence, long bytes) {
    return frame(
        FrameKind.BULK_OFFER,
        0,
        sequence,
        FrameHeader.third(9, 0), // the transfer's number is 1, and a client began it
        body -> {
          body.writeVarLong(bytes);
          body.writeByte(0);
          body.writeString("announced");
        });
  }

  private static byte[] frame(
      FrameKind kind, int flags, long sequence, long third, Consumer<WireEncoder> body) {
    ByteBuffer memory = ByteBuffer.allocate(MOST);
    WireEncoder out = new WireEncoder();
    out.start(memory, PREFIX + FrameHeader.BYTES, MOST - FrameHeader.BYTES - PREFIX, MOST_DEPTH);
    body.accept(out);
    ByteBuffer frame = memory.slice(PREFIX, MOST - PREFIX);
    int about = kind.sequenced() ? UNLIMITED : 1; // else the link's epoch
    FrameHeader.write(frame, FrameHeader.first(kind, flags), 1, sequence, 0, about, third);
    int length = FrameHeader.BYTES + out.length();
    memory.putInt(0, length);
    byte[] bytes = new byte[PREFIX + length];
    memory.get(0, bytes);
    return bytes;
  }
}
