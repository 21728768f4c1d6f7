package io.verbena.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.link.LinkOptions;
import io.verbena.testkit.Seed;
import io.verbena.testkit.SteppedLinks;
import io.verbena.verbs.fabric.Personality;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The memory that links pin which nobody uses: as docs/concepts/memory.md says. */
final class IdleLinksTest {
  private static final LinkOptions OPTIONS = LinkOptions.of(64 << 10, Duration.ofSeconds(2), null);
  private static final int LINKS = Boolean.getBoolean("verbena.long") ? 1000 : 200;

  @ParameterizedTest
  @CsvSource({"MLX5, 96", "IONIC, 96", "MLX4, 192", "MANA, 192", "SIW, 192"})
  void anIdleLinkPinsSoMuch(Personality adapter, int kibibytes) throws Exception {
    long seed = Seed.random("idle links").nextLong();
    FabricLinkHarness harness =
        new FabricLinkHarness(seed, adapter.profile(), RdmaSettings.DEFAULT);
    try (SteppedLinks links = new SteppedLinks(harness, OPTIONS, OPTIONS)) {
      for (int i = 0; i < LINKS; i++) {
        links.open();
      }
      long each = harness.west.pinnedBytes() / LINKS;
      System.out.println(adapter + ": an idle link pins " + each / 1024 + " KiB");
      assertThat(each).isBetween(kibibytes * 1024L * 3 / 4, kibibytes * 1024L * 5 / 4);
    }
    harness.close();
  }
}
