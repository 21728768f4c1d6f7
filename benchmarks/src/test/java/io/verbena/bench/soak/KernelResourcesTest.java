package io.verbena.bench.soak;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a soak takes for a leak in the kernel. */
class KernelResourcesTest {
  private static final String BEFORE = "0: rxe0: pd 5 cq 3 qp 17 cm_id 18 mr 227 ctx 2 srq 2";

  @Test
  void someMoreRegistrationsAreKeptForTheNextUse() {
    assertThat(KernelResources.isFlat(BEFORE, BEFORE)).isTrue();
    assertThat(KernelResources.isFlat(BEFORE, BEFORE.replace("mr 227", "mr 238"))).isTrue();
    assertThat(KernelResources.isFlat(BEFORE, BEFORE.replace("mr 227", "mr 90"))).isTrue();
    assertThat(KernelResources.isFlat("", "")).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "0: rxe0: pd 5 cq 3 qp 17 cm_id 18 mr 292 ctx 2 srq 2",
        "0: rxe0: pd 5 cq 3 qp 18 cm_id 18 mr 227 ctx 2 srq 2",
        "0: rxe0: pd 6 cq 3 qp 17 cm_id 18 mr 227 ctx 2 srq 2",
        "0: rxe0: pd 5 cq 3 qp 17 cm_id 19 mr 227 ctx 2 srq 2",
        ""
      })
  void anythingElseIsALeak(String after) {
    assertThat(KernelResources.isFlat(BEFORE, after)).isFalse();
  }
}
