package io.verbena.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayDeque;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How much is sent ahead over lines of a certain speed and length, which queue whatever comes. */
final class PaceTest {
  private static final long BITS_IN_BYTE = 8;

  private long now = 1;
  private final Pace pace = new Pace(() -> now);

  /** The bytes on the line, by the time of their receipt. */
  private record Chunk(long receiptAtNanos, int bytes, boolean asks) {}

  private final ArrayDeque<Chunk> line = new ArrayDeque<>();
  private long lineFreeAt;
  private long receipted;

  /** Sends as fast as it may, for so long; returns what a frame sent now would wait, at most. */
  private Duration send(long bitsPerSecond, Duration roundTrip, Duration time) {
    long end = now + time.toNanos();
    long settledFrom = end - time.toNanos() / 2;
    long longest = 0;
    while (now < end) {
      while (pace.hasRoom(pace.chunkBytes())) {
        int bytes = pace.chunkBytes();
        boolean asks = pace.asks(bytes);
        pace.sent(bytes, asks);
        lineFreeAt =
            Math.max(now, lineFreeAt) + bytes * BITS_IN_BYTE * 1_000_000_000L / bitsPerSecond;
        line.add(new Chunk(lineFreeAt + roundTrip.toNanos(), bytes, asks));
      }
      if (now >= settledFrom) {
        longest = Math.max(longest, lineFreeAt - now);
      }
      Chunk next = line.remove();
      receipted += next.bytes;
      if (next.asks) {
        now = Math.max(now, next.receiptAtNanos);
        assertThat(pace.receipt(receipted)).isNull();
      }
    }
    return Duration.ofNanos(longest);
  }

  @ParameterizedTest
  @CsvSource({
    "1_000_000, 0.1",
    "1_000_000, 50",
    "2_000_000, 20",
    "5_000_000, 1",
    "10_000_000, 100",
    "100_000_000, 0.1",
    "100_000_000, 100",
    "1_000_000_000, 1",
    "1_000_000_000, 100",
    "10_000_000_000, 0.05"
  })
  void keepsALineBusyAndItsQueueShort(String bits, double roundTripMillis) {
    long bitsPerSecond = Long.parseLong(bits.replace("_", ""));
    Duration roundTrip = Duration.ofNanos((long) (roundTripMillis * 1e6));
    send(bitsPerSecond, roundTrip, Duration.ofSeconds(5)); // finds out
    long before = receipted;
    long since = now;
    Duration wait = send(bitsPerSecond, roundTrip, Duration.ofSeconds(10));
    double carried = (receipted - before) * 8e9 / (now - since);
    assertThat(carried / bitsPerSecond).as("of what the line carries").isGreaterThan(0.85);
    assertThat(wait).isLessThan(Duration.ofMillis(200));
  }

  @Test
  void findsOutThatALineHasBecomeSlowerAndFasterAgain() {
    send(100_000_000, Duration.ofMillis(1), Duration.ofSeconds(5));
    send(1_000_000, Duration.ofMillis(1), Duration.ofSeconds(20));
    assertThat(send(1_000_000, Duration.ofMillis(1), Duration.ofSeconds(10)))
        .isLessThan(Duration.ofMillis(200));
    send(100_000_000, Duration.ofMillis(1), Duration.ofSeconds(10));
    long before = receipted;
    long since = now;
    send(100_000_000, Duration.ofMillis(1), Duration.ofSeconds(10));
    assertThat((receipted - before) * 8e9 / (now - since)).isGreaterThan(85_000_000);
  }

  @Test
  void findsOutThatAWayHasBecomeLonger() {
    send(10_000_000, Duration.ofMillis(5), Duration.ofSeconds(10));
    send(10_000_000, Duration.ofMillis(150), Duration.ofSeconds(60));
    long before = receipted;
    long since = now;
    send(10_000_000, Duration.ofMillis(150), Duration.ofSeconds(20));
    assertThat((receipted - before) * 8e9 / (now - since)).isGreaterThan(8_500_000);
  }

  @Test
  void refusesAReceiptThatCannotBe() {
    pace.sent(100, true);
    assertThat(pace.receipt(101)).isNotNull();
    assertThat(pace.receipt(100)).isNull();
    assertThat(pace.receipt(100)).isNotNull();
    assertThat(pace.receipt(-1)).isNotNull();
  }
}
