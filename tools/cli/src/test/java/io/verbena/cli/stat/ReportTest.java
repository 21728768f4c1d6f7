package io.verbena.cli.stat;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.Session;
import io.verbena.api.SessionState;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.Published;
import io.verbena.api.bulk.Source;
import io.verbena.channel.BalancedChannel;
import io.verbena.channel.ChannelStat.Standing;
import io.verbena.channel.ChannelsMXBean;
import io.verbena.cli.UpgradeWait;
import io.verbena.core.ConcurrencyLimit;
import io.verbena.core.PathPolicy;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.core.stat.VerbenaMXBean;
import io.verbena.link.runtime.NanoClock;
import io.verbena.rdma.RdmaSettings;
import io.verbena.rdma.RdmaUpgradeProvider;
import io.verbena.verbs.fabric.Fabric;
import io.verbena.verbs.fabric.FabricHost;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.foreign.Arena;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import javax.management.JMX;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;

/** What each end holds stands in the report, by peer, with what it is and for how long. */
class ReportTest {
  private final CountDownLatch begun = new CountDownLatch(1);
  private final CountDownLatch go = new CountDownLatch(1);

  /** Goes on only when it is told to. */
  private Landing stuck() {
    return Landing.chunks(
        (chunk, offset) -> {
          begun.countDown();
          go.await();
        });
  }

  @Test
  void showsWhatIsPublishedAndWhatIsUnderWay() throws Exception {
    try (VerbenaServer server = VerbenaServer.builder().listen("127.0.0.1:0").start();
        VerbenaClient client = VerbenaClient.builder().build();
        Session session = client.connect(server.address().toString())) {
      Source bytes = Source.of(new byte[100_000]);
      Published mine = server.publish(bytes, Duration.ofHours(2));
      session.objects().fetch(mine.ref(), stuck());
      begun.await();
      String report = report();
      go.countDown();
      assertThat(report)
          .containsPattern(
              "published\n +object .*lease left\n +1 +memory +97.7 KiB +1 +tcp://127.0.0.1:\\d+ +\\d+ s +7200 s")
          .containsPattern("in +object 1 +97.7 KiB +97.7 KiB +\\d+ s");
    }
  }

  @Test
  void showsTheLimitOfAServerThatHasOne() throws Exception {
    try (VerbenaServer server =
        VerbenaServer.builder()
            .listen("127.0.0.1:0")
            .concurrencyLimit(ConcurrencyLimit.DEFAULT)
            .start()) {
      assertThat(report())
          .contains("server at " + server.address())
          .containsPattern(
              """
              limit +0 of 20 calls at once; latency \\?, \\? under low load
               +priority +taken below +taken +shed
               +critical +20 +0 +0
               +normal +16 +0 +0
               +background +10 +0 +0
              """);
    }
  }

  @Test
  void showsWhatWasCompressed() throws Exception {
    try (VerbenaServer server =
            VerbenaServer.builder().listen("127.0.0.1:0").compressFromBytes(1024).start();
        VerbenaClient alike = VerbenaClient.builder().compressFromBytes(1).build();
        VerbenaClient other = VerbenaClient.builder().build();
        Session first = alike.connect(server.address().toString());
        Session second = other.connect(server.address().toString())) {
      assertThat(List.of(first.state(), second.state())).containsOnly(SessionState.OPEN);
      assertThat(report())
          .contains("server at " + server.address())
          .contains(
              "compressed    0 messages of 0 B to 0 B; the peers of 1 of 2 sessions accept them\n")
          .contains(
              "compressed    0 messages of 0 B to 0 B; the peers of 1 of 1 sessions accept them\n");
    }
  }

  @Test
  void showsWhatASessionHasMeasuredOfItsPath() throws Exception {
    try (VerbenaServer server = VerbenaServer.builder().listen("127.0.0.1:0").start();
        VerbenaClient client = VerbenaClient.builder().path(PathPolicy.TCP_ONLY).build();
        Session session = client.connect(server.address().toString())) {
      while (client.costs(session).roundTrip() == 0 || client.costs(session).copyPerByte() == 0) {
        Thread.onSpinWait();
      }
      assertThat(report())
          .containsPattern(
              "measured costs of paths\n +peer +path +round trip .*\n"
                  + " +tcp://127.0.0.1:\\d+ +tcp .* +\\d+\\.\\d us +\\d+\\.\\d us +- +- +from .*iB +from 1 B");
    }
  }

  @Test
  void showsASessionOverRdmaItsCreditsItsPinnedMemoryAndTheRegistrationsThatAreKept()
      throws Exception {
    int bytes = 3 << 20;
    try (Fabric fabric = Fabric.threaded(3);
        VerbenaServer server =
            VerbenaServer.builder()
                .listen("127.0.0.1:0")
                .upgrades(device(fabric, "west", "10.9.0.2"))
                .pinCutOffBytes(1)
                .start();
        VerbenaClient client =
            VerbenaClient.builder()
                .upgrades(device(fabric, "east", "10.9.0.1"))
                .pinCutOffBytes(1)
                .build();
        Session session = client.connect(server.address().toString());
        Arena arena = Arena.ofShared()) {
      UpgradeWait.await(session, Duration.ofSeconds(40));
      Published mine = server.publish(Source.of(arena.allocate(bytes)), Duration.ofHours(2));
      session.objects().fetch(mine.ref(), Landing.of(arena.allocate(bytes))).get().close();
      assertThat(report())
          .containsPattern(
              "tcp://127.0.0.1:\\d+ +anonymous +open +rdma \\(.+\\) .*"
                  + " control credits \\d+, credits \\d+, credits at most \\d+\n")
          .containsPattern("pinned bytes +[1-9].* [KM]iB\n")
          .containsPattern("pinned bytes at most +512.0 MiB\n")
          .containsPattern("registration cache bytes +3.0 MiB\n")
          .containsPattern("registration cache misses +1\n")
          .contains("registration cache hits", "registration cache evictions", "quarantined bytes");
    }
  }

  @Test
  void showsAChannelWhatItDidAndHowItsServersStand() throws Exception {
    try (VerbenaServer server = VerbenaServer.builder().listen("mem://shop").start();
        VerbenaClient client = VerbenaClient.builder().build();
        BalancedChannel channel =
            BalancedChannel.builder(client, "static:mem://shop,mem://nobody").build()) {
      long end = System.nanoTime() + Duration.ofSeconds(40).toNanos();
      while (channel.stat().endpoints(Standing.READY) == 0 && System.nanoTime() < end) {
        Thread.onSpinWait();
      }
      assertThat(channels())
          .startsWith("channel to static:mem://shop,mem://nobody\n")
          .contains(
              "  calls    0; 0 moves, 0 retries, 0 hedges, 0 refused by the budget; 0 found no server\n")
          .containsPattern("mem://shop +- +ready +0 +0 +0 +-\n")
          .containsPattern("mem://nobody +- +out +0 +0 +0 +\\S");
      assertThat(server.address()).isNotNull();
    }
    assertThat(
            ManagementFactory.getPlatformMBeanServer()
                .isRegistered(new ObjectName(ChannelsMXBean.NAME)))
        .isFalse();
  }

  private static String channels() throws Exception {
    StringWriter out = new StringWriter();
    JMX.newMXBeanProxy(
            ManagementFactory.getPlatformMBeanServer(),
            new ObjectName(ChannelsMXBean.NAME),
            ChannelsMXBean.class)
        .getChannels()
        .forEach(channel -> ChannelReport.print(channel, new PrintWriter(out, true)));
    return out.toString();
  }

  private static RdmaUpgradeProvider device(Fabric fabric, String name, String address) {
    FabricHost host = fabric.addHost(name, InetAddress.ofLiteral(address));
    return new RdmaUpgradeProvider(host, RdmaSettings.DEFAULT, NanoClock.SYSTEM);
  }

  private static String report() throws Exception {
    StringWriter out = new StringWriter();
    JMX.newMXBeanProxy(
            ManagementFactory.getPlatformMBeanServer(),
            new ObjectName(VerbenaMXBean.NAME),
            VerbenaMXBean.class)
        .getEngines()
        .forEach(engine -> Report.print(engine, new PrintWriter(out, true)));
    return out.toString();
  }
}
