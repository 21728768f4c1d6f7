package io.verbena.core.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.Received;
import io.verbena.api.bulk.Source;
import io.verbena.testkit.JavaProcess;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** Pooled memory belongs to the next object as soon as its object is closed. */
class ClosedObjectsTest {
  static final List<Integer> LENGTHS = List.of(1, 5_000, 1 << 20, (2 << 20) + 1);

  private final BulkWorld bulk = new BulkWorld();

  @AfterEach
  void close() {
    bulk.assertNothingLeft();
    bulk.close();
  }

  private Received fetch(MemorySegment bytes) {
    long length = bytes.byteSize();
    return bulk.await(bulk.fetch(bulk.publish(Source.of(bytes)), Landing.pooled(length)));
  }

  /**
   * These tests run without native access, as a program does that nobody gave the flag. With it,
   * the memory is lent another way.
   */
  @Test
  void theSameHoldsWithNativeAccess() throws Exception {
    JavaProcess.Ended ended =
        JavaProcess.of(WithNativeAccess.class)
            .options("--enable-native-access=ALL-UNNAMED", "--illegal-native-access=deny")
            .run(Duration.ofMinutes(1));
    assertThat(ended.status()).as(ended.out()).isZero();
  }

  /** The tests again. */
  static final class WithNativeAccess {
    public static void main(String[] arguments) {
      assertThat(Received.class.getModule().isNativeAccessEnabled()).isTrue();
      for (int length : LENGTHS) {
        ClosedObjectsTest closed = new ClosedObjectsTest();
        closed.nothingOfAClosedObjectCanBeReadOrWritten(length);
        closed.theMemoryOfAnObjectThatNobodyLookedAtIsReleased(length);
        closed.close();
      }
      Runtime.getRuntime().halt(0);
    }
  }

  @ParameterizedTest
  @FieldSource("LENGTHS")
  void nothingOfAClosedObjectCanBeReadOrWritten(int length) {
    MemorySegment bytes = bulk.bytes(length, 7);
    Received first = fetch(bytes);
    MemorySegment memory = first.memory();
    MemorySegment slice = memory.asSlice(0, 1);
    ByteBuffer buffer = memory.asByteBuffer();
    assertThat(memory.mismatch(bytes)).isEqualTo(-1);
    assertThat(first.memory()).isSameAs(memory);
    assertThat(memory.isReadOnly()).isTrue();
    assertThat(buffer.isReadOnly()).isTrue();
    first.close();
    first.close();
    try (Received second = fetch(bulk.bytes(length, 8))) {
      assertThat(memory.scope().isAlive()).isFalse();
      assertThatThrownBy(() -> slice.get(ValueLayout.JAVA_BYTE, 0))
          .isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(() -> buffer.get(0)).isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(first::memory).isInstanceOf(IllegalStateException.class);
      assertThat(second.memory().mismatch(bulk.bytes(length, 8))).isEqualTo(-1);
    }
  }

  @ParameterizedTest
  @FieldSource("LENGTHS")
  void theMemoryOfAnObjectThatNobodyLookedAtIsReleased(int length) {
    fetch(bulk.bytes(length, 7)).close();
    assertThat(bulk.client.bulkStats().memoryInUse()).isZero();
  }
}
