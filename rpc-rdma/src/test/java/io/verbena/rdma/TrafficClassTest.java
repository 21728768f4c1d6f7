package io.verbena.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.link.LinkOptions;
import io.verbena.testkit.SteppedLinks;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/** The traffic class that was set stands in the headers of RoCE's packets, between two machines. */
@Tag("lab-two")
@EnabledIfEnvironmentVariable(named = "LAB_DEVICE", matches = "rxe.*")
final class TrafficClassTest {
  private static final LinkOptions OPTIONS = LinkOptions.of(64 << 10, Duration.ofSeconds(20), null);

  /** DSCP 26, which is AF31, and ECT(0). */
  private static final int AF31 = 106;

  private final String here = DeviceLinkHarness.variable("LAB_ADDRESS");
  private final String there = DeviceLinkHarness.variable("LAB_PEER");

  @Test
  void thePacketsOfBothEndsHaveTheClassOfTheEndThatAsked() throws Exception {
    RdmaSettings set = RdmaSettings.DEFAULT.withTrafficClass(AF31);
    List<PacketTap.Packet> packets = packetsBetween(set, RdmaSettings.DEFAULT);
    assertThat(classes(packets, here)).containsExactly(AF31);
    assertThat(classes(packets, there)).containsExactly(AF31);
  }

  @Test
  void whereTheEndThatAskedSetNoneItIsTheHostsOwn() throws Exception {
    RdmaSettings set = RdmaSettings.DEFAULT.withTrafficClass(AF31);
    List<PacketTap.Packet> packets = packetsBetween(RdmaSettings.DEFAULT, set);
    assertThat(classes(packets, here)).containsExactly(0);
    assertThat(classes(packets, there)).containsExactly(0);
  }

  private List<PacketTap.Packet> packetsBetween(RdmaSettings here, RdmaSettings there)
      throws Exception {
    TwoMachinesHarness harness = new TwoMachinesHarness(here, there);
    try (SteppedLinks links = new SteppedLinks(harness, OPTIONS, OPTIONS)) {
      return packetsOf(links, links.open());
    } finally {
      harness.close();
    }
  }

  private static List<PacketTap.Packet> packetsOf(SteppedLinks links, SteppedLinks.Pair pair) {
    try (PacketTap tap = new PacketTap()) {
      pair.client().sendNow(new byte[1000]);
      pair.server().sendNow(new byte[1000]);
      links.stepUntil(
          "both frames",
          () -> {
            tap.hear();
            return pair.server().heard().frames().size() == 1
                && pair.client().heard().frames().size() == 1;
          });
      return tap.heard();
    }
  }

  /** But for those of the connection managers. */
  private static Set<Integer> classes(List<PacketTap.Packet> packets, String source) {
    return packets.stream()
        .filter(packet -> packet.source().equals(source) && packet.queuePair() != 1)
        .map(PacketTap.Packet::trafficClass)
        .collect(Collectors.toSet());
  }
}
