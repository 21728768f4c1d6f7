package io.verbena.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.link.LinkException;
import io.verbena.link.LinkOptions;
import io.verbena.testkit.LinkEnd;
import io.verbena.testkit.Seed;
import io.verbena.testkit.SteppedLinks;
import io.verbena.verbs.fabric.DeviceProfile;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Links that stand on one device at each end: what one carries never comes by another. */
class SeveralLinksTest {
  private static final LinkOptions OPTIONS = LinkOptions.of(4096, Duration.ofSeconds(5), null);
  private static final int LINKS = 3;
  private static final int FRAMES = 400;

  /** Frames say which link they were given to, and their place among its frames. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void everyFrameComesByItsOwnLink(boolean srq) throws LinkException {
    Random random = Seed.random("several links on one device");
    DeviceProfile full = DeviceProfile.full();
    FabricLinkHarness harness =
        new FabricLinkHarness(random.nextLong(), srq ? full : full.withoutSrq());
    try (SteppedLinks links = new SteppedLinks(harness, OPTIONS, OPTIONS)) {
      List<SteppedLinks.Pair> pairs = new ArrayList<>();
      for (int i = 0; i < LINKS; i++) {
        pairs.add(links.open());
      }
      int[] sent = new int[LINKS];
      for (int i = 0; i < FRAMES; i++) {
        int link = random.nextInt(LINKS);
        LinkEnd client = pairs.get(link).client();
        client.sendNow(ByteBuffer.allocate(8).putInt(link).putInt(sent[link]++).array());
        links.settle();
      }
      for (int link = 0; link < LINKS; link++) {
        List<byte[]> frames = pairs.get(link).server().heard().frames();
        assertThat(frames).as("frames of link " + link).hasSize(sent[link]);
        for (int i = 0; i < frames.size(); i++) {
          ByteBuffer frame = ByteBuffer.wrap(frames.get(i));
          assertThat(frame.getInt()).as("frame " + i + " of link " + link).isEqualTo(link);
          assertThat(frame.getInt()).isEqualTo(i);
        }
      }
    }
    harness.close();
  }
}
