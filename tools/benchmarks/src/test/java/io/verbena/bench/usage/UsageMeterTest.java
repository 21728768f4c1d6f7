package io.verbena.bench.usage;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class UsageMeterTest {
  private static final int TIMES = 50;
  private static final long MILLI = 1_000_000;

  @Test
  void tellsWhatThreadsHaveUsedThatAreGone() throws Exception {
    Usage before = UsageMeter.read();
    Thread thread = Thread.ofPlatform().start(UsageMeterTest::waitAgainAndAgain);
    thread.join();
    Usage used = UsageMeter.read().since(before);
    assertThat(used.contextSwitches()).isGreaterThanOrEqualTo(TIMES);
    assertThat(used.cpuNanos()).isPositive();
  }

  private static void waitAgainAndAgain() {
    try {
      for (int i = 0; i < TIMES; i++) {
        Thread.sleep(1);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void tellsLessThanATickOfTheKernel() {
    Usage before = UsageMeter.read();
    long until = System.nanoTime() + 3 * MILLI;
    while (System.nanoTime() - until < 0) {
      Thread.onSpinWait();
    }
    assertThat(UsageMeter.read().since(before).cpuNanos() % (10 * MILLI)).isNotZero();
  }

  @Test
  void takesLittleItself() {
    UsageMeter.read();
    long least = Long.MAX_VALUE; // other threads may allocate meanwhile
    for (int i = 0; i < TIMES; i++) {
      Usage before = UsageMeter.read();
      least = Math.min(least, UsageMeter.read().since(before).allocatedBytes());
    }
    assertThat(least).isLessThan(10_000);
  }
}
