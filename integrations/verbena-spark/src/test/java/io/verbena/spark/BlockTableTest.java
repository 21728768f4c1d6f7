package io.verbena.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.api.RpcException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.apache.spark.network.buffer.ManagedBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class BlockTableTest {
  private static MemorySegment answer(String bytes, long... lengths) {
    ByteBuffer answer = ByteBuffer.allocate(8 * lengths.length + bytes.length());
    for (long length : lengths) {
      answer.putLong(length);
    }
    answer.put(bytes.getBytes(StandardCharsets.US_ASCII));
    return MemorySegment.ofArray(answer.array());
  }

  @Test
  void blocksLieOneAfterTheOtherBehindTheTable() throws Exception {
    int[] released = {0};
    int[] freed = {0};
    ManagedBuffer[] blocks =
        ReceivedBlocks.slices(answer("redblue", 3, 0, 4), 3, () -> released[0]++, () -> freed[0]++);
    assertThat(blocks).extracting(ManagedBuffer::size).containsExactly(3L, 0L, 4L);
    assertThat(blocks[2].createInputStream().readAllBytes()).asString().isEqualTo("blue");

    blocks[0].retain().release();
    blocks[0].release();
    blocks[1].release();
    assertThat(released[0]).isEqualTo(2);
    assertThat(freed[0]).isZero();
    blocks[2].release();
    blocks[2].release();
    assertThat(freed[0]).isOne();
    assertThatThrownBy(blocks[2]::retain).isInstanceOf(IllegalStateException.class);
  }

  @ParameterizedTest
  @ValueSource(longs = {-1, 2, 4, Long.MAX_VALUE, Long.MIN_VALUE})
  void lengthsThatDoNotAddUpAreRefused(long length) {
    assertThatThrownBy(() -> BlockTable.of(answer("red", length), 1))
        .isInstanceOf(RpcException.class)
        .hasMessageContaining("add up");
  }

  @Test
  void anAnswerShorterThanItsTableIsRefused() {
    assertThatThrownBy(() -> BlockTable.of(answer("red", 3), 2)).isInstanceOf(RpcException.class);
  }
}
