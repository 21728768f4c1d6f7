package io.verbena.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.link.LinkOptions;
import io.verbena.link.SendResult;
import io.verbena.testkit.LinkEnd;
import io.verbena.testkit.SteppedLinks;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Many links that share the receives of a real device, some of which end in the midst of it. */
@Tag("lab")
final class DeviceSharedReceivesTest {
  private static final LinkOptions OPTIONS = LinkOptions.of(64 << 10, Duration.ofSeconds(20), null);
  private static final int LINKS = 60;
  private static final int ROUNDS = 3;
  private static final int FRAMES = 40;

  /** Two packets of the largest size: a link can end between them. */
  private static final int BYTES = 5000;

  private final DeviceLinkHarness harness = new DeviceLinkHarness(RdmaSettings.DEFAULT);
  private final List<SteppedLinks.Pair> open = new ArrayList<>();

  @Test
  void everyFrameArrivesHoweverManyAreBusyAndEnd() throws Exception {
    try (SteppedLinks links = new SteppedLinks(harness, OPTIONS, OPTIONS)) {
      for (int round = 0; round < ROUNDS; round++) {
        while (open.size() < LINKS) {
          open.add(links.open());
        }
        for (int i = 0; i < 2; i++) {
          exchange(links);
        }
        endEveryThird(links);
        exchange(links);
      }
      assertThat(harness.pinnedBytes()).isLessThan(most());
    }
    harness.close();
  }

  /** Frames go both ways on every link at once. */
  private void exchange(SteppedLinks links) {
    List<Integer> due = open.stream().map(pair -> received(pair) + 2 * FRAMES).toList();
    int[] left = new int[open.size() * 2];
    Arrays.fill(left, FRAMES);
    links.stepUntil(
        "every frame",
        () -> {
          for (int i = 0; i < open.size(); i++) {
            left[2 * i] -= fill(open.get(i).client(), left[2 * i]);
            left[2 * i + 1] -= fill(open.get(i).server(), left[2 * i + 1]);
          }
          for (int i = 0; i < open.size(); i++) {
            if (received(open.get(i)) < due.get(i)) {
              return false;
            }
          }
          return true;
        });
  }

  private static int received(SteppedLinks.Pair pair) {
    return pair.client().heard().frames().size() + pair.server().heard().frames().size();
  }

  private static int fill(LinkEnd end, int most) {
    int sent = 0;
    while (sent < most && end.send(new byte[BYTES]) == SendResult.SENT) {
      end.link().flush();
      sent++;
    }
    return sent;
  }

  /** Without a word, while frames are on their way to them. */
  private void endEveryThird(SteppedLinks links) {
    List<SteppedLinks.Pair> ending = new ArrayList<>();
    for (int i = 0; i < open.size(); i += 3) {
      ending.add(open.get(i));
    }
    for (SteppedLinks.Pair pair : ending) {
      fill(pair.client(), 4);
      pair.server().link().abort("by the test");
    }
    links.stepUntil(
        "both ends to hear",
        () ->
            ending.stream()
                .allMatch(
                    pair -> pair.client().heard().isClosed() && pair.server().heard().isClosed()));
    open.removeAll(ending);
  }

  /** Both ends are here: guarantees, what can be leased, slots to send from, begun slabs. */
  private static long most() {
    RdmaSettings settings = RdmaSettings.DEFAULT;
    long ends = 2L * LINKS;
    long receives = ends * (settings.guaranteedCredits() + 3) + 2 * 1024;
    long sends = ends * (settings.credits() + 3);
    return (receives + sends) * settings.slotBytes() + (8L << 20);
  }
}
