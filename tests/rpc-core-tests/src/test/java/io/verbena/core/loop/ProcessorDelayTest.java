package io.verbena.core.loop;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a loop learns from the system's figures about waits for processors. */
final class ProcessorDelayTest {
  private static final long MILLI = 1_000_000;
  private static final int PROCESSORS = 2;

  @TempDir
  @SuppressWarnings("NullAway.Init") // by JUnit
  Path files;

  @SuppressWarnings("NullAway.Init") // before each test
  private ProcessorDelay delay;

  private long now = 1_000 * MILLI;
  private long waited;
  private long turns;

  @BeforeEach
  void begin() throws IOException {
    waits(0, 0);
    running(1);
    delay =
        new ProcessorDelay(
            files.resolve("schedstat").toString(), files.resolve("loadavg").toString(), PROCESSORS);
    assertThat(delay.isShort(now)).isFalse();
  }

  @AfterEach
  void close() {
    delay.close();
  }

  /** The thread has waited for so much more, in so many more turns. */
  private void waits(long nanos, long more) throws IOException {
    waited += nanos;
    turns += more;
    Files.writeString(files.resolve("schedstat"), "123456 " + waited + " " + turns + "\n");
  }

  private void running(int threads) throws IOException {
    Files.writeString(files.resolve("loadavg"), "6.95 3.94 4.72 " + threads + "/376 23907\n");
  }

  /** Passes ten milliseconds, of which the thread has waited for some, in so many turns. */
  private boolean isShortAfter(long waitedMillis, long inTurns) throws IOException {
    now += 10 * MILLI;
    waits(waitedMillis * MILLI, inTurns);
    return delay.isShort(now);
  }

  private void becomeShort() throws IOException {
    running(6);
    assertThat(isShortAfter(6, 6)).isFalse();
    assertThat(isShortAfter(6, 6)).isTrue();
  }

  /** Returns the milliseconds, in tens, after which processors are free again. */
  private int untilFree() throws IOException {
    for (int passed = 10; passed <= 1_000; passed += 10) {
      if (!isShortAfter(1, 100)) {
        return passed;
      }
    }
    return Integer.MAX_VALUE;
  }

  @Test
  void aThreadThatSeldomWaitsHasFreeProcessors() throws IOException {
    for (int i = 0; i < 100; i++) {
      assertThat(isShortAfter(2, 2)).isFalse();
    }
  }

  @Test
  void oneLongWaitIsNotABusyTime() throws IOException {
    for (int i = 0; i < 20; i++) {
      assertThat(isShortAfter(9, 1)).isFalse();
      assertThat(isShortAfter(0, 1)).isFalse();
    }
  }

  @Test
  void manyBriefWaitsAreThoseOfWakingUp() throws IOException {
    for (int i = 0; i < 20; i++) {
      assertThat(isShortAfter(6, 200)).isFalse();
    }
  }

  @Test
  void longWaitsAreABusyTimeAsLongAsNoProcessorIsIdle() throws IOException {
    becomeShort();
    assertThat(untilFree()).isEqualTo(Integer.MAX_VALUE);
    running(1 + PROCESSORS);
    assertThat(isShortAfter(0, 100)).isTrue();
    running(PROCESSORS); // this thread among them
    assertThat(isShortAfter(9, 1)).as("its own waits do not count then").isFalse();
  }

  @Test
  void aBusyTimeThatComesBackSoonLastsLonger() throws IOException {
    becomeShort();
    running(1);
    assertThat(untilFree()).isEqualTo(20);
    becomeShort();
    running(1);
    assertThat(untilFree()).isEqualTo(40);
    becomeShort();
    running(1);
    assertThat(untilFree()).isEqualTo(70);
    for (int i = 0; i < 50; i++) {
      assertThat(isShortAfter(0, 10)).isFalse();
    }
    becomeShort();
    running(1);
    assertThat(untilFree()).isEqualTo(20);
  }

  @Test
  void withoutFiguresProcessorsAreFree() {
    try (ProcessorDelay without =
        new ProcessorDelay(
            files.resolve("nothing").toString(), files.resolve("nothing").toString(), 1)) {
      for (int i = 0; i < 10; i++) {
        now += 10 * MILLI;
        assertThat(without.isShort(now)).isFalse();
      }
    }
  }
}
