package io.verbena.link.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.link.runtime.NanoClock;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A session that lets go of no slot takes none from the others. */
class SlotShareTest {
  private final SlotPool pool = new SlotPool(4096, 1 << 20);
  private final Quota quota = new Quota(pool.maxSlots(), 8);
  private final int guaranteed = pool.maxSlots() / 2 / 4;
  private final SlotShare stalled = share();
  private final SlotShare healthy = share();

  private SlotShare share() {
    return new SlotShare(
        pool,
        quota.join(
            new Quota.Holder() {
              @Override
              public String peer() {
                return "peer";
              }

              @Override
              public void wanted() {}
            }));
  }

  private static List<Slot> claimAll(SlotShare share) throws InterruptedException {
    List<Slot> all = new ArrayList<>();
    @Nullable Slot slot;
    while ((slot = share.claim(NanoClock.SYSTEM, 0)) != null) {
      all.add(slot);
    }
    return all;
  }

  @Test
  void eachHasItsOwnWhenThePoolIsEmpty() throws InterruptedException {
    assertThat(claimAll(stalled)).hasSize(pool.maxSlots() + guaranteed);
    List<Slot> slots = claimAll(healthy);
    assertThat(slots).hasSize(guaranteed);
    for (int i = 0; i < 10_000; i++) { // each that is released is there for the next
      slots.removeLast().release();
      slots.add(Objects.requireNonNull(healthy.claim(NanoClock.SYSTEM, 0)));
    }
    assertThat(healthy.exhausted()).contains("raise slotMemoryBytes");
  }

  @Test
  void whoWaitsIsWokenByTheFirstOneReleased() throws Exception {
    claimAll(stalled);
    List<Slot> slots = claimAll(healthy);
    CompletableFuture<@Nullable Slot> waiting = new CompletableFuture<>();
    Thread.ofVirtual()
        .start(
            () -> {
              try {
                waiting.complete(healthy.claim(NanoClock.SYSTEM, TimeUnit.MINUTES.toNanos(1)));
              } catch (InterruptedException e) {
                waiting.completeExceptionally(e);
              }
            });
    slots.getFirst().release();
    assertThat(waiting.get(30, TimeUnit.SECONDS)).isNotNull();
    assertThat(stalled.claim(NanoClock.SYSTEM, 1_000_000))
        .as("of the one that lets go of none")
        .isNull();
  }

  @Test
  void whoWaitsDoesSoOnTheClockThatItIsGiven() throws InterruptedException {
    claimAll(stalled);
    List<Slot> slots = claimAll(healthy);
    List<Long> waits = new ArrayList<>();
    NanoClock byHand =
        new NanoClock() {
          @Override
          public long nanoTime() {
            return 0;
          }

          @Override
          public boolean acquire(Semaphore permits, long nanos) {
            waits.add(nanos);
            return permits.tryAcquire();
          }
        };
    assertThat(healthy.claim(byHand, TimeUnit.DAYS.toNanos(1))).isNull();
    assertThat(waits).containsExactly(TimeUnit.DAYS.toNanos(1));
    slots.getFirst().release();
    assertThat(healthy.claim(byHand, TimeUnit.DAYS.toNanos(1))).isNotNull();
    assertThat(waits).hasSize(1);
  }

  @Test
  void sharesShrinkAsSessionsCome() throws InterruptedException {
    List<Slot> slots = claimAll(stalled);
    for (int i = 0; i < 14; i++) {
      assertThat(claimAll(share())).hasSizeBetween(8, guaranteed);
    }
    slots.reversed().forEach(Slot::release);
    claimAll(healthy); // empties the pool
    assertThat(claimAll(stalled)).hasSize(pool.maxSlots() / 2 / 16);
  }
}
