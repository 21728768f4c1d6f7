package io.verbena.verbs.ffm.cq;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.verbs.ext.Errno;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class FfmCqTest {
  /** -2 of mlx5 is no ENOENT, and -1 of cxgb4 no EPERM. */
  @ParameterizedTest
  @ValueSource(ints = {-1, -2, -22})
  void aNegativeCountIsNoErrorNumber(int count) {
    assertThat(FfmCq.broken(count).errno()).isEqualTo(Errno.EIO);
    assertThat(FfmCq.broken(count)).hasMessageContaining("returned " + count);
  }
}
