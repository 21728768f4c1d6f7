package io.verbena.fuzz.decoder;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.wire.WireException;
import io.verbena.api.wire.WireIn;
import io.verbena.api.wire.WireOut;
import io.verbena.codec.WireDecoder;
import io.verbena.fuzz.Meter;
import io.verbena.fuzz.Target;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The decoder's own methods, called in an order that the input tells: its first byte says how many
 * calls, the next ones which, and the rest is the message. What was read is written again and read
 * again, and must be the same; from the heap and from outside it.
 */
public final class WireTarget implements Target {
  private static final int BEGIN = 14;
  private static final int END = 15;
  private static final int KINDS = 16;

  @Override
  public void take(byte[] input, Meter meter) {
    int calls = input.length == 0 ? 0 : Math.min(input[0] & 0xff, input.length - 1);
    int from = Math.min(input.length, 1 + calls);
    List<Integer> kinds = new ArrayList<>();
    for (int i = 0; i < calls; i++) {
      kinds.add((input[1 + i] & 0xff) % KINDS);
    }
    byte[] message = Arrays.copyOfRange(input, from, input.length);
    meter.start();
    List<Object> onHeap = readOrNull(Bytes.decoder(message), kinds);
    meter.stop();
    assertThat(readOrNull(outside(message), kinds)).isEqualTo(onHeap);
    if (onHeap != null) {
      byte[] again = write(onHeap);
      List<Object> back = read(Bytes.decoder(again), kinds);
      assertThat(back).isEqualTo(onHeap);
      assertThat(write(back)).isEqualTo(again);
    }
  }

  /** Decodes memory outside the heap, and not from its beginning. */
  private static WireDecoder outside(byte[] message) {
    ByteBuffer memory = ByteBuffer.allocateDirect(3 + message.length);
    memory.put(3, message);
    WireDecoder in = new WireDecoder();
    in.start(memory, 3, memory.capacity(), Bytes.MOST_DEPTH);
    return in;
  }

  private static @Nullable List<Object> readOrNull(WireDecoder in, List<Integer> kinds) {
    try {
      return read(in, kinds);
    } catch (WireException refused) {
      assertThat(refused.getMessage()).isNotEmpty();
      return null;
    }
  }

  private record Begin() {}

  private record End() {}

  private static List<Object> read(WireDecoder in, List<Integer> kinds) {
    List<Object> read = new ArrayList<>();
    List<Integer> ends = new ArrayList<>();
    for (int kind : kinds) {
      if (kind == BEGIN) {
        ends.add(in.beginRecord());
        read.add(new Begin());
      } else if (kind == END) {
        if (!ends.isEmpty()) {
          in.endRecord(ends.removeLast());
          read.add(new End());
        }
      } else {
        read.add(value(in, kind));
      }
      if (in.remaining() < 0) {
        throw new AssertionError("read beyond the end");
      }
    }
    while (!ends.isEmpty()) {
      in.endRecord(ends.removeLast());
      read.add(new End());
    }
    return read;
  }

  private static Object value(WireIn in, int kind) {
    return switch (kind) {
      case 0 -> in.readBoolean();
      case 1 -> in.readByte();
      case 2 -> in.readShort();
      case 3 -> in.readChar();
      case 4 -> in.readInt();
      case 5 -> in.readLong();
      case 6 -> new Float4(Float.floatToRawIntBits(in.readFloat()));
      case 7 -> new Double8(Double.doubleToRawLongBits(in.readDouble()));
      case 8 -> new Var(in.readVarInt());
      case 9 -> new VarLong(in.readVarLong());
      case 10 -> in.readString();
      case 11 -> new Run(HexFormat.of().formatHex(in.readBytes()));
      case 12 -> new Run(HexFormat.of().formatHex(in.readBuffer().array()));
      default -> {
        MemorySegment segment = in.readSegment();
        yield new Run(HexFormat.of().formatHex(segment.toArray(ValueLayout.JAVA_BYTE)));
      }
    };
  }

  private record Float4(int bits) {}

  private record Double8(long bits) {}

  private record Var(int value) {}

  private record VarLong(long value) {}

  private record Run(String bytes) {}

  private static byte[] write(List<Object> values) {
    return Bytes.encode(
        out -> {
          List<Integer> marks = new ArrayList<>();
          for (Object value : values) {
            if (value instanceof Begin) {
              marks.add(out.beginRecord());
            } else if (value instanceof End) {
              out.endRecord(marks.removeLast());
            } else {
              write(out, value);
            }
          }
        });
  }

  private static void write(WireOut out, Object value) {
    switch (value) {
      case Boolean it -> out.writeBoolean(it);
      case Byte it -> out.writeByte(it);
      case Short it -> out.writeShort(it);
      case Character it -> out.writeChar(it);
      case Integer it -> out.writeInt(it);
      case Long it -> out.writeLong(it);
      case Float4 it -> out.writeFloat(Float.intBitsToFloat(it.bits));
      case Double8 it -> out.writeDouble(Double.longBitsToDouble(it.bits));
      case Var it -> out.writeVarInt(it.value);
      case VarLong it -> out.writeVarLong(it.value);
      case String it -> out.writeString(it);
      case Run it -> out.writeBytes(HexFormat.of().parseHex(it.bytes));
      default -> throw new AssertionError(value);
    }
  }

  @Override
  public List<byte[]> seeds() {
    byte[] kinds = {14, 0, 1, 2, 3, 4, 5, 6, 7, 15, 8, 9, 10, 11, 12, 13};
    byte[] message =
        Bytes.encode(
            out -> {
              int mark = out.beginRecord();
              out.writeBoolean(true);
              out.writeByte(-1);
              out.writeShort(Short.MIN_VALUE);
              out.writeChar('\uffff');
              out.writeInt(1 << 31);
              out.writeLong(1L << 63);
              out.writeFloat(Float.NaN);
              out.writeDouble(-0d);
              out.endRecord(mark);
              out.writeVarInt(-1);
              out.writeVarLong(-1);
              out.writeString("Eisenkraut \u20ac \ud83c\udf3f");
              out.writeBytes(new byte[] {1, 2, 3});
              out.writeBytes(new byte[0]);
              out.writeBytes(new byte[] {4});
            });
    byte[] seed = Arrays.copyOf(Bytes.with(kinds.length, kinds), 1 + kinds.length + message.length);
    System.arraycopy(message, 0, seed, 1 + kinds.length, message.length);
    return List.of(seed);
  }

  /** Runs of bytes become hexadecimal digits here, and each call's result is kept. */
  @Override
  public long mostBytes(int inputLength) {
    return 32_000 + 60L * inputLength;
  }
}
