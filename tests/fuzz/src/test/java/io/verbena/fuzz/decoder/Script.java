package io.verbena.fuzz.decoder;

import io.verbena.api.wire.WireOut;
import io.verbena.core.frame.FrameHeader;
import io.verbena.core.frame.FrameKind;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Frames, as an input says. Numbers, version and epoch are as they should be, unless a bit says
 * otherwise: else the fuzzer would hardly get beyond them.
 *
 * <pre>
 *   kind: its place among all, 100 more with metadata, or beyond | bits | call id | length, 1 byte or 2 | body
 *
 *   bits   1 first fragment   2 parts   4 a number too high   8 another epoch
 *          16 a wild acknowledgement   32 time passes   64 all is stepped behind it   128 length of 2 bytes
 *   body   of a call begins with the time left, 4 bytes, and the method's place, 2, which go into the header
 * </pre>
 */
final class Script {
  static final int FIRST_FRAGMENT = FrameHeader.FLAG_FIRST_FRAGMENT;
  static final int PARTS = FrameHeader.FLAG_LARGE_VALUES;
  static final int METADATA = 100;
  static final int WILD_NUMBER = 4;
  static final int WILD_EPOCH = 8;
  static final int WILD_ACKNOWLEDGEMENT = 16;
  static final int TIME = 32;
  static final int STEP = 64;
  static final int LONG = 128;

  private static final List<FrameKind> KINDS = List.of(FrameKind.values());
  private static final int HEAD = 4;
  private static final int CALL_BYTES = 6;

  private final byte[] input;
  private int at;
  private long sequence;

  /**
   * One frame, and what is done behind it.
   *
   * @param bytes the frame
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Step(byte[] bytes, boolean passesTime, boolean steps) {}

  /**
   * The frames of an input.
   *
   * @param from where they begin in it
   */
  Script(byte[] input, int from) {
    this.input = input;
    this.at = from;
  }

  /** Returns the next frame; null at the end. */
  @Nullable Step next() {
    if (input.length - at < HEAD) {
      return null;
    }
    int kind = input[at] & 0xff;
    int bits = input[at + 1] & 0xff;
    int callId = input[at + 2] & 0xff;
    int length = input[at + 3] & 0xff;
    at += HEAD;
    if ((bits & LONG) != 0 && at < input.length) {
      length = (length << 8) | (input[at++] & 0xff);
    }
    byte[] body = Arrays.copyOfRange(input, at, at + Math.min(length, input.length - at));
    at += body.length;
    return new Step(frame(kind, bits, callId, body), (bits & TIME) != 0, (bits & STEP) != 0);
  }

  private byte[] frame(int place, int bits, int callId, byte[] body) {
    boolean metadata = place >= METADATA && place < METADATA + KINDS.size();
    FrameKind kind = KINDS.get(metadata ? place - METADATA : place % KINDS.size());
    int flags = (bits & (FIRST_FRAGMENT | PARTS)) | (metadata ? FrameHeader.FLAG_METADATA : 0);
    boolean call = kind == FrameKind.REQUEST || kind == FrameKind.ONEWAY;
    ByteBuffer words = ByteBuffer.wrap(Arrays.copyOf(body, Math.max(body.length, CALL_BYTES)));
    int skipped = call ? Math.min(CALL_BYTES, body.length) : 0;
    ByteBuffer frame = ByteBuffer.allocate(FrameHeader.BYTES + body.length - skipped);
    frame.put(FrameHeader.BYTES, body, skipped, body.length - skipped);
    long number = 0;
    if (kind.sequenced()) {
      number = (bits & WILD_NUMBER) != 0 ? sequence + 7 : ++sequence;
    }
    FrameHeader.write(
        frame,
        FrameHeader.first(kind, flags),
        (bits & WILD_EPOCH) != 0 ? 2 : 1,
        number,
        (bits & WILD_ACKNOWLEDGEMENT) != 0 ? 999 : 0,
        call ? words.getInt(0) : 1,
        FrameHeader.third(callId, call ? words.getShort(Integer.BYTES) & 0xffff : 0));
    if (place >= 200) {
      frame.put(1, (byte) place); // a kind there may not be
    }
    return frame.array();
  }

  /** Makes inputs. */
  static final class Maker {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    Maker(int... first) {
      for (int one : first) {
        out.write(one);
      }
    }

    Maker frame(FrameKind kind, int bits, int callId, Consumer<WireOut> body) {
      byte[] bytes = Bytes.encode(body);
      boolean isLong = bytes.length > 255;
      out.write(KINDS.indexOf(kind));
      out.write(isLong ? bits | LONG : bits);
      out.write(callId);
      if (isLong) {
        out.write(bytes.length >> 8);
      }
      out.write(bytes.length);
      out.writeBytes(bytes);
      return this;
    }

    /** A frame of a call with one value of metadata behind its body. */
    Maker withMetadata(FrameKind kind, int callId, Consumer<WireOut> body) {
      int begin = out.size();
      frame(
          kind,
          callId,
          body.andThen(
              all -> {
                all.writeString("id"); // the length of a name is written so
                all.writeShort(1);
                all.writeByte('7');
                all.writeShort(6);
              }));
      byte[] frames = out.toByteArray();
      frames[begin] = (byte) (frames[begin] + METADATA);
      out.reset();
      out.writeBytes(frames);
      return this;
    }

    Maker frame(FrameKind kind, int callId, Consumer<WireOut> body) {
      return frame(kind, STEP, callId, body);
    }

    byte[] done() {
      return out.toByteArray();
    }
  }
}
