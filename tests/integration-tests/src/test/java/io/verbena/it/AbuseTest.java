package io.verbena.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.verbena.api.CallOptions;
import io.verbena.core.PathPolicy;
import io.verbena.core.SessionLimits;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.core.stat.EngineStat;
import io.verbena.core.stat.VerbenaMXBean;
import io.verbena.testkit.abuse.Abuse;
import io.verbena.testkit.abuse.Abuser;
import io.verbena.testkit.abuse.Victim;
import io.verbena.testkit.abuse.VictimRpc;
import io.verbena.testkit.abuse.VictimService;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import javax.management.JMX;
import javax.management.MalformedObjectNameException;
import javax.management.ObjectName;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Abuse by one client fails no call of others, and leaves nothing behind. */
@Tag("long")
@DisplayName("Under abuse")
final class AbuseTest {
  private static final Duration LONGEST = Duration.ofSeconds(40);
  private static final Duration A_WHILE = Duration.ofMillis(700);
  private static final CallOptions IN_TIME = CallOptions.timeout(Duration.ofSeconds(30));
  private static final int MEBIBYTE = 1 << 20;
  private static final int VALUE = 200_000;
  private static final int LOOPS = 4;

  /** Those who are silent in the middle of a frame, or gone, are given up in time for a test. */
  private static final SessionLimits LIMITS =
      SessionLimits.DEFAULT
          .withKeepalive(Duration.ofSeconds(1), Duration.ofSeconds(10))
          .withResumeWindow(Duration.ofMillis(300));

  private final VictimService service = new VictimService();
  private final VerbenaServer server =
      VerbenaServer.builder()
          .listen("127.0.0.1:0")
          .path(PathPolicy.TCP_ONLY)
          .loops(LOOPS)
          .limits(LIMITS)
          .maxSessions(12_000)
          .maxAssemblyBytes(64 * MEBIBYTE)
          .maxReplyBytes(64 * MEBIBYTE)
          .bulkMemoryBytes(64 * MEBIBYTE)
          .drainTime(Duration.ofMillis(100))
          .onSession(VictimService::takePushes)
          .serve(VictimRpc.bind(service))
          .start();
  private final VerbenaClient client =
      VerbenaClient.builder().path(PathPolicy.TCP_ONLY).limits(LIMITS).build();
  private final List<Victim> victims = oneOnEachLoop();
  private final Victim victim = victims.getFirst();

  private List<Victim> oneOnEachLoop() {
    return Stream.generate(() -> client.connect(server.address().toString()))
        .limit(LOOPS)
        .map(session -> VictimRpc.client(session, IN_TIME))
        .toList();
  }

  @AfterEach
  void close() {
    client.close();
    service.close();
    server.close();
  }

  private Abuser start(Abuse abuse, int count) throws IOException {
    URI address = server.address();
    Abuser abuser = abuse.start(new InetSocketAddress(address.getHost(), address.getPort()), count);
    await().atMost(LONGEST).until(abuser::isInEffect);
    return abuser;
  }

  /** Every kind of call, for a while; none fails. */
  private void callsGoOn(Duration time) {
    long until = System.nanoTime() + time.toNanos();
    for (long i = 0; System.nanoTime() - until < 0; i++) {
      Victim victim = victims.get((int) (i % LOOPS));
      assertThat(victim.next(i)).isEqualTo(i + 1);
      if (i % 64 < LOOPS) {
        assertThat(victim.large(VALUE)).hasSize(VALUE);
        assertThat(victim.store(new byte[VALUE])).isEqualTo(VALUE);
      }
    }
  }

  private EngineStat stat() throws MalformedObjectNameException {
    VerbenaMXBean all =
        JMX.newMXBeanProxy(
            ManagementFactory.getPlatformMBeanServer(),
            new ObjectName(VerbenaMXBean.NAME),
            VerbenaMXBean.class);
    return all.getEngines().stream()
        .filter(one -> one.name().contains(server.address().toString()))
        .findFirst()
        .orElseThrow();
  }

  /** The abuser's resources are free again, and the healthy session has not lost its link. */
  private void nothingIsLeft() throws MalformedObjectNameException {
    await()
        .atMost(LONGEST)
        .untilAsserted(
            () -> {
              assertThat(stat().sessions()).hasSize(LOOPS);
              assertThat(server.slotsInUse()).isZero();
              assertThat(client.slotsInUse()).isZero();
              assertThat(server.bulkStats().memoryInUse()).isZero();
              assertThat(server.bulkStats().receiving()).isZero();
            });
    assertThat(stat().sessions()).allMatch(one -> one.owedBytes() == 0);
  }

  private static int count(Abuse abuse) {
    int most = Boolean.getBoolean("verbena.full") ? abuse.usual() : 500;
    return Math.min(most, abuse.usual());
  }

  @ParameterizedTest
  @EnumSource(Abuse.class)
  void othersCallsSucceedAndWhatItTookComesBack(Abuse abuse) throws Exception {
    callsGoOn(Duration.ofMillis(100));
    Abuser abuser = start(abuse, count(abuse));
    try (abuser) {
      callsGoOn(A_WHILE);
      assertThat(stat().bulk().memoryInUse()).isLessThanOrEqualTo(64 * MEBIBYTE);
      assertThat(stat().slotsInUse()).isLessThanOrEqualTo(stat().maxSlots());
      service.close(); // for the next: what blocks for ever would never come back
    }
    callsGoOn(Duration.ofMillis(100));
    nothingIsLeft();
  }

  @Test
  void aSlowFrameEndsItsLink() throws Exception {
    try (Abuser abuser = start(Abuse.SLOW_FRAME, 20)) {
      await().atMost(LONGEST).until(() -> abuser.got().thrownOut() >= 20);
      callsGoOn(A_WHILE);
    }
    nothingIsLeft();
  }

  @Test
  void whatIsTooLongEndsItsLinkAndWhatIsOnlyAnnouncedHoldsLittle() throws Exception {
    try (Abuser abuser = start(Abuse.ANNOUNCES, 40)) {
      await().atMost(LONGEST).until(() -> abuser.got().thrownOut() >= 20);
      assertThat(server.bulkStats().memoryInUse()).isLessThan(16 * MEBIBYTE); // 4 each: 40
      // There would be no room for it beside what was announced.
      byte[] argument = new byte[10 * MEBIBYTE];
      assertThat(victim.store(argument)).isEqualTo(argument.length);
    }
    nothingIsLeft();
  }

  @Test
  void whoCallsWhatNeverReturnsIsToldInTimeAndHasNoMoreHandlersThanItsWindow() throws Exception {
    try (Abuser abuser = start(Abuse.BLOCKS, 2)) {
      await()
          .atMost(LONGEST)
          .untilAsserted(() -> assertThat(abuser.got().refused()).isGreaterThan(400));
      assertThat(abuser.got().failure()).contains("DEADLINE_EXCEEDED");
      callsGoOn(A_WHILE);
      assertThat(service.running()).isLessThanOrEqualTo(2 * LIMITS.maxCalls());
    }
  }
}
