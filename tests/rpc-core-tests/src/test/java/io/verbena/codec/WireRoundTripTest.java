package io.verbena.codec;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.api.wire.WireException;
import io.verbena.api.wire.WireIn;
import io.verbena.api.wire.WireOut;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WireRoundTripTest {
  private static final int MAX = 1 << 20;
  private final WireEncoder out = new WireEncoder();
  private final WireDecoder in = new WireDecoder();

  @Test
  void numbersComeBackAtTheEdgesOfTheirRange() {
    for (int v :
        new int[] {0, 1, -1, 127, 128, 16_383, 16_384, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
      assertComesBack(v, WireOut::writeInt, WireIn::readInt);
      assertComesBack(v, WireOut::writeVarInt, WireIn::readVarInt);
      assertComesBack((short) v, (o, s) -> o.writeShort(s), WireIn::readShort);
      assertComesBack((byte) v, (o, b) -> o.writeByte(b), WireIn::readByte);
      assertComesBack((char) v, WireOut::writeChar, WireIn::readChar);
    }
    for (long v :
        new long[] {0, -1, 127, 128, 1L << 34, 1L << 62, Long.MAX_VALUE, Long.MIN_VALUE}) {
      assertComesBack(v, WireOut::writeLong, WireIn::readLong);
      assertComesBack(v, WireOut::writeVarLong, WireIn::readVarLong);
    }
    for (double v :
        new double[] {0, -0.0, Double.NaN, Double.MIN_VALUE, Double.NEGATIVE_INFINITY}) {
      assertComesBack(v, WireOut::writeDouble, WireIn::readDouble);
      assertComesBack((float) v, WireOut::writeFloat, WireIn::readFloat);
    }
    assertComesBack(true, WireOut::writeBoolean, WireIn::readBoolean);
    assertComesBack(false, WireOut::writeBoolean, WireIn::readBoolean);
  }

  @Test
  void fixedWidthNumbersAreBigEndian() {
    assertThat(encoded(o -> o.writeInt(0x01020304))).containsExactly(1, 2, 3, 4);
    assertThat(encoded(o -> o.writeVarInt(300))).containsExactly(0xac, 2);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "plain", "naïve", "日本語", "𝄞 clef", "\u0000", "\uFFFD", "mixed é日𝄞"})
  void stringsComeBackAndAreUtf8(String text) {
    assertComesBack(text, WireOut::writeString, WireIn::readString);
    byte[] utf8 = text.getBytes(UTF_8);
    byte[] bytes = encoded(o -> o.writeString(text));
    assertThat(bytes[0]).isEqualTo((byte) utf8.length);
    assertThat(bytes).endsWith(utf8);
  }

  @Test
  void aLongStringComesBack() {
    assertComesBack("é".repeat(100_000), WireOut::writeString, WireIn::readString);
  }

  @Test
  void halfASurrogatePairIsRefused() {
    for (String text : new String[] {"a\ud834", "\udd1ea", "\ud834\ud834\udd1e"}) {
      assertThatThrownBy(() -> encoded(o -> o.writeString(text)))
          .isInstanceOf(WireException.class)
          .hasMessageContaining("surrogate pair at index");
    }
  }

  @Test
  void bytesComeBackFromEveryKindOfMemory() {
    byte[] bytes = {1, 2, 3, 4, 5};
    assertThat(roundTrip(bytes, WireOut::writeBytes, WireIn::readBytes)).isEqualTo(bytes);

    ByteBuffer window = ByteBuffer.wrap(bytes).position(1).limit(4);
    ByteBuffer read = roundTrip(window, WireOut::writeBuffer, WireIn::readBuffer);
    assertThat(read).isEqualTo(ByteBuffer.wrap(new byte[] {2, 3, 4}));
    assertThat(window.position()).isEqualTo(1);

    try (Arena arena = Arena.ofConfined()) {
      MemorySegment segment = arena.allocateFrom(ValueLayout.JAVA_BYTE, bytes);
      MemorySegment back = roundTrip(segment, WireOut::writeSegment, WireIn::readSegment);
      assertThat(back.toArray(ValueLayout.JAVA_BYTE)).isEqualTo(bytes);
    }
    MemorySegment empty = roundTrip(MemorySegment.NULL, WireOut::writeSegment, WireIn::readSegment);
    assertThat(empty.byteSize()).isZero();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 126, 127, 128, 129, 16_383, 16_384, 100_000})
  void recordsOfAnyLengthNestAndAreSkippedWhole(int size) {
    byte[] payload = new byte[size];
    byte[] message =
        encoded(
            o -> {
              int outer = o.beginRecord();
              o.writeInt(7);
              int inner = o.beginRecord();
              o.writeBytes(payload);
              o.endRecord(inner);
              o.writeInt(8);
              o.endRecord(outer);
              o.writeInt(9);
            });

    decode(message);
    int outer = in.beginRecord();
    assertThat(in.readInt()).isEqualTo(7);
    int inner = in.beginRecord();
    in.endRecord(inner);
    assertThat(in.atEnd(outer)).isFalse();
    assertThat(in.readInt()).isEqualTo(8);
    assertThat(in.atEnd(outer)).isTrue();
    in.endRecord(outer);
    assertThat(in.atEnd()).isFalse();
    assertThat(in.readInt()).isEqualTo(9);
    assertThat(in.atEnd()).isTrue();
  }

  private <T> void assertComesBack(
      T value, BiConsumer<WireOut, T> write, Function<WireIn, T> read) {
    assertThat(roundTrip(value, write, read)).isEqualTo(value);
  }

  /** Writes into a roomy slot and into one that overflows at once; reads from heap and direct. */
  private <T> T roundTrip(T value, BiConsumer<WireOut, T> write, Function<WireIn, T> read) {
    byte[] message = encoded(o -> write.accept(o, value));
    ByteBuffer direct = ByteBuffer.allocateDirect(message.length + 3).put(3, message);
    in.start(direct, 3, 3 + message.length, 8);
    assertThat((Object) read.apply(in)).isNotNull();
    assertThat(in.atEnd()).isTrue();
    decode(message);
    T result = read.apply(in);
    assertThat(in.atEnd()).isTrue();
    return result;
  }

  private byte[] encoded(Consumer<WireOut> write) {
    byte[] roomy = encodedInto(ByteBuffer.allocateDirect(MAX), write);
    byte[] tight = encodedInto(ByteBuffer.allocateDirect(5), write);
    assertThat(tight).isEqualTo(roomy);
    return roomy;
  }

  private byte[] encodedInto(ByteBuffer slot, Consumer<WireOut> write) {
    slot.put(0, (byte) 42);
    out.start(slot, 5, MAX, 8);
    write.accept(out);
    byte[] message = new byte[out.length()];
    out.buffer().get(5, message);
    assertThat(out.spilled()).isEqualTo(message.length > slot.capacity() - 5);
    assertThat(out.buffer().get(0)).isEqualTo((byte) 42);
    return message;
  }

  private void decode(byte[] message) {
    in.start(ByteBuffer.wrap(message), 0, message.length, 8);
  }
}
