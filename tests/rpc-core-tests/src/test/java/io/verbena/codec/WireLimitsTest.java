package io.verbena.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import io.verbena.api.wire.WireException;
import io.verbena.api.wire.WireIn;
import io.verbena.api.wire.WireOut;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class WireLimitsTest {
  private final WireEncoder out = new WireEncoder();
  private final WireDecoder in = new WireDecoder();

  @Test
  void aMessageOfExactlyTheLimitIsEncodedAndOneByteMoreIsNot() {
    for (int slotBytes : new int[] {8, 64, 1000, 4096}) {
      out.start(ByteBuffer.allocate(slotBytes), 8, 1000, 8);
      for (int i = 0; i < 1000; i++) {
        out.writeByte(i);
      }
      assertThat(out.length()).isEqualTo(1000);
      assertThatThrownBy(() -> out.writeByte(0))
          .isInstanceOf(WireException.class)
          .hasMessage(
              "the message needs at least 1001 bytes, but the limit is 1000; raise maxMessageBytes"
                  + " on both ends or send less at once");
    }
  }

  /** There is no room for any value. */
  private static final class Full implements LargeValues {
    @Override
    public int take(MemorySegment value, boolean array) {
      return NOT_TAKEN;
    }

    @Override
    public String cure() {
      return "make room";
    }

    @Override
    public void writeTable(WireOut out) {}

    @Override
    public void close() {}
  }

  @Test
  void aLargeValueThatFoundNoRoomBesideItsMessageIsToldWhatHelpsIt() {
    out.start(ByteBuffer.allocate(64), 0, 1000, 8);
    out.takeOut(100, Full::new);
    assertThatThrownBy(() -> out.writeSegment(MemorySegment.ofArray(new byte[2000])))
        .hasMessageEndingWith(
            " bytes, because a large value found no room beside it, but the limit is 1000;"
                + " make room, or send less at once");
    out.start(ByteBuffer.allocate(64), 0, 1000, 8);
    out.takeOut(5000, Full::new);
    assertThatThrownBy(() -> out.writeSegment(MemorySegment.ofArray(new byte[2000])))
        .as("no value of this message was large")
        .hasMessageContaining("raise maxMessageBytes");
  }

  @Test
  void aHugeSegmentIsRefusedBeforeAnythingIsAllocated() {
    out.start(ByteBuffer.allocate(64), 0, Integer.MAX_VALUE, 8);
    MemorySegment huge = MemorySegment.NULL.reinterpret(1L << 40);
    assertThatThrownBy(() -> out.writeSegment(huge))
        .isInstanceOf(WireException.class)
        .hasMessageContaining(Long.toString(1L << 40));
  }

  @Test
  void recordsDeeperThanTheLimitAreRefusedOnBothSides() {
    out.start(ByteBuffer.allocate(64), 0, 64, 3);
    out.beginRecord();
    out.beginRecord();
    out.beginRecord();
    assertThatThrownBy(out::beginRecord)
        .isInstanceOf(WireException.class)
        .hasMessageContaining("3 deep");

    byte[] nested = {4, 3, 2, 1, 0};
    in.start(ByteBuffer.wrap(nested), 0, nested.length, 3);
    in.beginRecord();
    in.beginRecord();
    in.beginRecord();
    assertThatThrownBy(in::beginRecord)
        .isInstanceOf(WireException.class)
        .hasMessageContaining("3 deep");
  }

  @Test
  void theDeepestRecordsAllowedComeBack() {
    int depth = 1000;
    out.start(ByteBuffer.allocate(16), 0, 1 << 20, depth);
    int[] marks = new int[depth];
    for (int i = 0; i < depth; i++) {
      marks[i] = out.beginRecord();
      out.writeInt(i);
    }
    for (int i = depth; i-- > 0; ) {
      out.endRecord(marks[i]);
    }
    in.start(out.buffer(), 0, out.length(), depth);
    int[] ends = new int[depth];
    for (int i = 0; i < depth; i++) {
      ends[i] = in.beginRecord();
      assertThat(in.readInt()).isEqualTo(i);
    }
    for (int i = depth; i-- > 0; ) {
      in.endRecord(ends[i]);
    }
    assertThat(in.atEnd()).isTrue();
  }

  @Test
  void whatIsTruncatedSaysWhere() {
    assertRefused(
        WireIn::readLong,
        "8 bytes are needed and 3 are left of the message, at byte 0 of 3",
        1,
        2,
        3);
    assertRefused(
        WireIn::readString, "100 elements cannot be in 2 bytes, at byte 1 of 3", 100, 1, 1);
    assertRefused(
        i -> {
          i.beginRecord();
          i.readInt();
        },
        "4 bytes are needed and 2 are left of the record, at byte 1 of 6",
        2,
        1,
        2,
        3,
        4,
        5);
  }

  @Test
  void lengthsThatLieAreRefused() {
    assertRefused(WireIn::readBytes, "4294967295 elements", 0xff, 0xff, 0xff, 0xff, 0x0f);
    assertRefused(WireIn::readBytes, "2147483647 elements", 0xff, 0xff, 0xff, 0xff, 0x07);
    assertRefused(
        i -> i.readCount(8),
        "2 elements cannot be in 15 bytes",
        2,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0);
    assertRefused(WireIn::beginRecord, "3 elements cannot be in 2 bytes", 3, 0, 0);
    assertRefused(
        i -> {
          i.beginRecord();
          i.beginRecord();
        },
        "2 elements cannot be in 1 bytes",
        2,
        2,
        0,
        0,
        0);
  }

  @Test
  void malformedValuesAreRefused() {
    assertRefused(WireIn::readBoolean, "a boolean is 2", 2);
    assertRefused(WireIn::readVarInt, "more than 32 bits", 0xff, 0xff, 0xff, 0xff, 0x10);
    assertRefused(WireIn::readVarInt, "more than 32 bits", 0xff, 0xff, 0xff, 0xff, 0xff, 0xff);
    assertRefused(
        WireIn::readVarLong,
        "more than 64 bits",
        0xff,
        0xff,
        0xff,
        0xff,
        0xff,
        0xff,
        0xff,
        0xff,
        0xff,
        2);
    assertRefused(WireIn::readString, "not UTF-8", 1, 0x80);
    assertRefused(WireIn::readString, "not UTF-8", 2, 0xc0, 0x80);
    assertRefused(WireIn::readString, "not UTF-8", 3, 0xed, 0xa0, 0x80);
    assertRefused(WireIn::readString, "not UTF-8", 1, 0xe3);
  }

  @Test
  void aSlotMustBeBigEndian() {
    ByteBuffer little = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN);
    assertThatThrownBy(() -> out.start(little, 0, 8, 8)).hasMessageContaining("big-endian");
    assertThatThrownBy(() -> in.start(little, 0, 8, 8)).hasMessageContaining("big-endian");
  }

  @Test
  void aWarmEncoderAndDecoderAllocateNothing() {
    ByteBuffer slot = ByteBuffer.allocateDirect(4096);
    for (int i = 0; i < 20_000; i++) {
      encodeAndDecode(slot);
    }
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long before = threads.getCurrentThreadAllocatedBytes();
    for (int i = 0; i < 10_000; i++) {
      encodeAndDecode(slot);
    }
    long perMessage = (threads.getCurrentThreadAllocatedBytes() - before) / 10_000;
    assertThat(perMessage).isZero();
  }

  private void encodeAndDecode(ByteBuffer slot) {
    out.start(slot, 64, 1 << 20, 8);
    int mark = out.beginRecord();
    out.writeLong(42);
    out.writeString("a string that is neither short nor long");
    out.writeVarInt(1000);
    out.endRecord(mark);
    in.start(slot, 64, 64 + out.length(), 8);
    int end = in.beginRecord();
    in.readLong();
    in.endRecord(end);
  }

  private void assertRefused(Consumer<WireIn> read, String message, int... bytes) {
    ByteBuffer buffer = ByteBuffer.allocate(bytes.length);
    for (int i = 0; i < bytes.length; i++) {
      buffer.put(i, (byte) bytes[i]);
    }
    in.start(buffer, 0, bytes.length, 8);
    assertThatThrownBy(() -> read.accept(in))
        .isInstanceOf(WireException.class)
        .hasMessageContaining(message);
  }
}
