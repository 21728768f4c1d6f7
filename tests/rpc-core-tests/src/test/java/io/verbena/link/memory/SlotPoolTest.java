package io.verbena.link.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A closed pool leaves its memory to others when nobody holds a slot of it, and not before. */
class SlotPoolTest {
  /** No other test has slots of these lengths, so none takes their memory. */
  private static final int FIRST_LENGTH = 5_000;

  private static Slot claim(SlotPool pool) {
    Slot slot = pool.claim();
    if (slot == null) {
      throw new AssertionError("no slot");
    }
    return slot;
  }

  @Test
  void aClosedPoolGivesNoSlots() {
    SlotPool pool = new SlotPool(FIRST_LENGTH, 1 << 20);
    claim(pool).release();
    pool.close();
    assertThat(pool.claim()).isNull();
    assertThat(pool.claimSurely().led()).as("memory of the pool").isNull();
    assertThat(pool.inUse()).isZero();
  }

  @Test
  void theNextPoolTakesTheMemoryOfAClosedOne() {
    int length = FIRST_LENGTH + 1;
    SlotPool first = new SlotPool(length, 1 << 20);
    Slot slot = claim(first);
    long address = slot.address();
    slot.release();
    first.close();
    assertThat(addressesOf(new SlotPool(length, 1 << 20))).contains(address);
  }

  @Test
  void memoryOfASlotInUseIsLeftOnItsRelease() {
    int length = FIRST_LENGTH + 2;
    SlotPool first = new SlotPool(length, 1 << 20);
    Slot slot = claim(first);
    long address = slot.address();
    first.close();
    assertThat(first.inUse()).isOne();
    assertThat(addressesOf(new SlotPool(length, 1 << 20))).doesNotContain(address);
    slot.release();
    assertThat(first.inUse()).isZero();
    assertThat(addressesOf(new SlotPool(length, 1 << 20))).contains(address);
  }

  private static Set<Long> addressesOf(SlotPool pool) {
    Set<Long> all = new HashSet<>();
    for (Slot slot = pool.claim(); slot != null; slot = pool.claim()) {
      all.add(slot.address());
    }
    return all;
  }

  /** Callers of one pool that is closed meanwhile, and of the next one. */
  @Test
  void noTwoHoldTheSameMemoryWhilePoolsAreClosed() throws Exception {
    int length = FIRST_LENGTH + 3;
    for (int round = 0; round < 200; round++) {
      SlotPool closing = new SlotPool(length, 1 << 20);
      SlotPool next = new SlotPool(length, 1 << 20);
      try (ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
        var first = callers.submit(() -> writeAndRead(closing, 1));
        var second = callers.submit(() -> writeAndRead(closing, 2));
        closing.close();
        var third = callers.submit(() -> writeAndRead(next, 3));
        assertThat(first.get(1, TimeUnit.MINUTES)).isTrue();
        assertThat(second.get(1, TimeUnit.MINUTES)).isTrue();
        assertThat(third.get(1, TimeUnit.MINUTES)).isTrue();
      }
      assertThat(closing.inUse()).isZero();
      next.close();
    }
  }

  private static boolean writeAndRead(SlotPool pool, int caller) {
    boolean own = true;
    for (int i = 0; i < 300; i++) {
      Slot slot = pool.claimSurely();
      long word = ((long) caller << 32) | i;
      slot.buffer().putLong(0, word);
      Thread.onSpinWait();
      own &= slot.buffer().getLong(0) == word;
      slot.release();
    }
    return own;
  }
}
