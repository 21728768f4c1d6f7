package io.verbena.core.bulk.stat;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.link.PinningCost;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Cut-offs follow from costs. */
class CutOffsTest {
  private static final double COPY = 0.1;
  private static final double ROUND_TRIP = 50_000;
  private static final PinningCost CHEAP_PAGES = new PinningCost(10_000, 100);

  private static CutOffs of(double copy, PinningCost pinning, double roundTrip) {
    return CutOffs.of(new Costs(copy, pinning, roundTrip));
  }

  @Test
  void atACutOffBothWaysCostTheSame() {
    CutOffs cutOffs = of(COPY, CHEAP_PAGES, ROUND_TRIP);
    double beside = cutOffs.beside();
    assertThat(5 * COPY * beside / pooledNanos(beside)).isBetween(0.99, 1.01);
    double inPlace = cutOffs.inPlace();
    double pages = Math.ceil(inPlace / PinningCost.PAGE_BYTES);
    double pinned = 2 * ROUND_TRIP + CHEAP_PAGES.fixed() + CHEAP_PAGES.perPage() * pages;
    assertThat(pinned / pooledNanos(inPlace)).isBetween(0.99, 1.01);
  }

  private static double pooledNanos(double bytes) {
    return 2 * ROUND_TRIP + 2 * COPY * bytes;
  }

  @Test
  void fartherPeersAndCheaperCopiesKeepMoreInTheMessage() {
    Random random = new Random(1);
    for (int i = 0; i < 1000; i++) {
      double copy = 0.01 + random.nextDouble();
      double roundTrip = 1000 + random.nextInt(1_000_000);
      long beside = of(copy, CHEAP_PAGES, roundTrip).beside();
      assertThat(beside).isBetween(CutOffs.LEAST_BESIDE, CutOffs.MOST_BESIDE);
      assertThat(of(copy, CHEAP_PAGES, 2 * roundTrip).beside()).isGreaterThanOrEqualTo(beside);
      assertThat(of(copy / 2, CHEAP_PAGES, roundTrip).beside()).isGreaterThanOrEqualTo(beside);
    }
  }

  @Test
  void dearerPinningCopiesMore() {
    long inPlace = of(COPY, CHEAP_PAGES, ROUND_TRIP).inPlace();
    assertThat(of(COPY, new PinningCost(20_000, 100), ROUND_TRIP).inPlace()).isGreaterThan(inPlace);
    assertThat(of(COPY, new PinningCost(10_000, 200), ROUND_TRIP).inPlace()).isGreaterThan(inPlace);
    assertThat(of(COPY, new PinningCost(10_000, 9_000), ROUND_TRIP).inPlace())
        .isEqualTo(Long.MAX_VALUE);
    assertThat(of(COPY, PinningCost.NONE, ROUND_TRIP).inPlace()).isEqualTo(1);
  }

  @Test
  void whatIsNotKnownHasADefaultAndWhatIsSetIsNotMeasured() {
    CutOffs unknown = CutOffs.of(Costs.UNKNOWN);
    assertThat(unknown).isEqualTo(new CutOffs(CutOffs.BESIDE_UNMEASURED, 1));
    assertThat(unknown.unless(new CutOffs(CutOffs.MEASURED, 7)))
        .isEqualTo(new CutOffs(CutOffs.BESIDE_UNMEASURED, 7));
    assertThat(unknown.unless(new CutOffs(3, CutOffs.MEASURED))).isEqualTo(new CutOffs(3, 1));
  }

  @Test
  void costsAreMeasuredByTheClockThatIsGiven() {
    AtomicLong clock = new AtomicLong();
    assertThat(CopyCost.measurePerByte(() -> clock.addAndGet(256 << 10))).isEqualTo(1);
    assertThat(PinningCost.of(1, 1100, 11, 2100)).isEqualTo(new PinningCost(1000, 100));
    assertThat(PinningCost.of(1, 1000, 11, 900)).isEqualTo(new PinningCost(1000, 0));
  }
}
