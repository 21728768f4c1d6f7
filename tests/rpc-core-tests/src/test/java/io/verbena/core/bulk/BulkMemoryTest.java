package io.verbena.core.bulk;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.core.bulk.BulkMemory.Block;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Long memory is kept for the next long object, within the budget, and no longer than that. */
class BulkMemoryTest {
  private static final long MIB = 1 << 20;
  private static final long LIMIT = 20 * MIB;

  private final BulkMemory memory = new BulkMemory(LIMIT);

  @AfterEach
  void leavesNothing() {
    assertThat(memory.inUse()).isZero();
    memory.close();
    assertThat(memory.kept()).isZero();
  }

  private Block claim(long bytes) {
    Block block = memory.claim(bytes);
    if (block == null) {
      throw new AssertionError("no memory for " + bytes + " bytes");
    }
    assertThat(block.memory().byteSize()).isEqualTo(bytes);
    return block;
  }

  private MemorySegment released(long bytes) {
    Block block = claim(bytes);
    block.release();
    return block.memory();
  }

  private static boolean isFreed(MemorySegment memory) {
    return !memory.scope().isAlive();
  }

  @Test
  void theNextOfAboutThatLengthTakesWhatIsKept() {
    MemorySegment first = released(10 * MIB);
    assertThat(memory.kept()).isEqualTo(10 * MIB);
    assertThat(memory.inUse()).isZero();
    Block second = claim(10 * MIB);
    assertThat(second.memory().address()).isEqualTo(first.address());
    assertThat(memory.kept()).isZero();
    assertThat(memory.inUse()).isEqualTo(10 * MIB);
    second.release();
    Block shorter = claim(8 * MIB);
    assertThat(shorter.memory().address()).isEqualTo(first.address());
    assertThat(memory.inUse()).as("all of the block counts").isEqualTo(10 * MIB);
    shorter.release();
    assertThat(memory.kept()).isEqualTo(10 * MIB);
  }

  @Test
  void aBlockOfWhichMoreThanAQuarterWouldBeWastedIsNotTaken() {
    MemorySegment first = released(10 * MIB);
    Block block = claim(8 * MIB - 1);
    assertThat(block.memory().address()).isNotEqualTo(first.address());
    assertThat(memory.kept()).isEqualTo(10 * MIB);
    block.release();
  }

  @Test
  void aLittleLongerOneFitsWhatIsKept() {
    MemorySegment first = released(9 * MIB + 1000);
    Block longer = claim(9 * MIB + 2000);
    assertThat(longer.memory().address()).isEqualTo(first.address());
    longer.release();
  }

  @Test
  void lengthsAreNotRoundedWhereTheBudgetHasNoRoom() {
    Block small = claim(1);
    Block rest = claim(LIMIT - memory.inUse());
    assertThat(memory.inUse()).isEqualTo(LIMIT);
    rest.release();
    small.release();
  }

  @Test
  void aBlockThatIsTooShortIsNotTaken() {
    released(10 * MIB);
    Block longer = claim(10 * MIB + 1);
    assertThat(memory.inUse()).isEqualTo(11 * MIB);
    assertThat(memory.kept()).as("the budget has no room for both").isZero();
    longer.release();
  }

  @Test
  void whatWasUsedLastIsTakenAgainFirst() {
    Block one = claim(5 * MIB);
    Block two = claim(5 * MIB);
    two.release();
    one.release();
    Block again = claim(5 * MIB);
    assertThat(again.memory().address()).isEqualTo(one.memory().address());
    again.release();
  }

  @Test
  void aClaimThatNeedsTheBudgetFreesWhatWasUnusedForLongest() {
    Block oldest = claim(9 * MIB);
    Block latest = claim(5 * MIB);
    oldest.release();
    latest.release();
    assertThat(memory.kept()).isEqualTo(14 * MIB);
    Block other = claim(7 * MIB);
    assertThat(isFreed(oldest.memory())).isTrue();
    assertThat(isFreed(latest.memory())).isFalse();
    assertThat(memory.kept()).isEqualTo(5 * MIB);
    other.release();
  }

  @Test
  void smallBlocksHaveTheBudgetBeforeWhatIsKept() {
    released(LIMIT);
    Block small = claim(MIB);
    assertThat(memory.kept()).isZero();
    small.release();
  }

  @Test
  void whatIsRefusedFreesNothing() {
    Block used = claim(MIB);
    released(10 * MIB);
    assertThat(memory.claim(LIMIT)).isNull();
    assertThat(memory.kept()).isEqualTo(10 * MIB);
    used.release();
  }

  @Test
  void nothingIsKeptAfterTheEndThoughItIsGivenBackLater() {
    MemorySegment kept = released(2 * MIB);
    Block used = claim(3 * MIB);
    memory.close();
    assertThat(isFreed(kept)).isTrue();
    assertThat(isFreed(used.memory())).isFalse();
    used.release();
    assertThat(isFreed(used.memory())).isTrue();
  }

  /** Reads a block, as a user's thread may that has yet to hear that it was given back. */
  private static final class Reading implements AutoCloseable {
    private final Pipe pipe = Pipe.open();
    private final CompletableFuture<Void> writing;

    Reading(Block block) throws IOException {
      writing =
          CompletableFuture.runAsync(() -> writeAll(pipe.sink(), block.memory().asByteBuffer()));
      int read = pipe.source().read(ByteBuffer.allocate(1));
      assertThat(read).as("it is being written, and does not fit the pipe").isEqualTo(1);
    }

    @Override
    public void close() throws IOException {
      ByteBuffer rest = ByteBuffer.allocate((int) MIB);
      while (pipe.source().read(rest) >= 0) {
        rest.clear();
      }
      writing.join();
      pipe.source().close();
    }
  }

  @Test
  void aUserThatStillReadsWhatItGaveBackDoesNotHarmOthers() throws IOException {
    Block block = claim(15 * MIB);
    try (Reading _ = new Reading(block)) {
      block.release();
      claim(10 * MIB).release();
      assertThat(isFreed(block.memory())).isFalse();
    }
  }

  @Test
  void aBlockThatIsNotKeptAndStillReadIsFreedWhenThatIsOver() throws IOException {
    List<Block> slabs = new ArrayList<>();
    for (long bytes = 0; bytes < LIMIT; bytes += MIB) {
      slabs.add(claim(MIB));
    }
    slabs.forEach(Block::release); // all there are, of another size
    Block block = claim(MIB / 2);
    try (Reading _ = new Reading(block)) {
      block.release();
      assertThat(memory.inUse()).isZero();
      assertThat(memory.kept()).isEqualTo(MIB / 2);
    }
    claim(LIMIT).release();
    assertThat(isFreed(block.memory())).isTrue();
  }

  @Test
  void aBlockThatIsStillReadAfterTheEndCountsAsGivenBack() throws IOException {
    Block block = claim(3 * MIB);
    memory.close();
    try (Reading _ = new Reading(block)) {
      block.release();
      assertThat(memory.inUse()).isZero();
      assertThat(isFreed(block.memory())).isFalse();
    }
  }

  private static void writeAll(Pipe.SinkChannel sink, ByteBuffer bytes) {
    try (sink) {
      while (bytes.hasRemaining()) {
        sink.write(bytes);
      }
    } catch (IOException e) {
      throw new CompletionException(e);
    }
  }

  @Test
  void slabsOfClosedMemoryAreTakenByOthersWhenTheLastBlockHasReturned() {
    BulkMemory closed = new BulkMemory(MIB);
    List<Block> blocks = closed.claim(2, MIB / 2);
    if (blocks == null) {
      throw new AssertionError("no memory");
    }
    long first = blocks.getFirst().memory().address();
    blocks.getFirst().release();
    closed.close();
    Block early = claim(MIB); // takes what earlier tests have left, or new memory
    assertThat(early.memory().address()).isNotEqualTo(first);
    blocks.getLast().release();
    Block late = claim(MIB);
    assertThat(late.memory().address()).isEqualTo(first);
    early.release();
    late.release();
  }
}
