package io.verbena.bench.counts;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.bench.verbena.Route;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How deep a small call goes. A failure names its frames. */
final class DepthTest {
  /** Lower the numbers with each frame that goes: the goal is 10; HotSpot stops inlining at 15. */
  @ParameterizedTest
  @CsvSource({"TCP, 10", "RDMA, 10"})
  void noFrameComesBetweenTheLinkAndTheHandler(Route route, int most) {
    try (SmallCall call = new SmallCall(route)) {
      assertThat(call.call()).hasSizeLessThanOrEqualTo(most);
    }
  }
}
