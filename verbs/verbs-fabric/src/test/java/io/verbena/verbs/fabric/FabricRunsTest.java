package io.verbena.verbs.fabric;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.verbs.ext.QpChange;
import io.verbena.verbs.ext.SendFlags;
import io.verbena.verbs.ext.SendOpcode;
import io.verbena.verbs.ext.WcStatus;
import io.verbena.verbs.testkit.Buffer;
import io.verbena.verbs.testkit.Pair;
import io.verbena.verbs.testkit.Setup;
import io.verbena.verbs.testkit.Wc;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Seeds, clocks and several fabrics. */
class FabricRunsTest {
  /** The result of a run as a program sees it: completions with their times. */
  private static List<String> trace(long seed) throws Exception {
    FabricHarness harness = new FabricHarness(seed);
    List<String> trace = new ArrayList<>();
    try (Pair pair = Pair.connect(harness)) {
      Buffer from = pair.active.buffer(8);
      Buffer to = pair.passive.buffer(8);
      for (int i = 0; i < 12; i++) {
        pair.passive.receive(i, to);
        pair.active.request(i, SendOpcode.SEND, SendFlags.SIGNALED, from);
        pair.active.post();
      }
      for (int i = 0; i < 12; i++) {
        Wc received = pair.passive.awaitReceived();
        Wc sent = pair.active.awaitSent();
        trace.add(harness.fabric.nanoTime() + " " + received + " " + sent);
      }
    }
    return trace;
  }

  @Test
  void oneSeedIsOneRun() throws Exception {
    for (long seed = 1; seed <= 10; seed++) {
      assertThat(trace(seed)).as("seed " + seed).isEqualTo(trace(seed));
    }
  }

  @Test
  void otherSeedsAreOtherRuns() throws Exception {
    Set<List<String>> runs = new HashSet<>();
    for (long seed = 1; seed <= 10; seed++) {
      runs.add(trace(seed));
    }
    assertThat(runs).hasSizeGreaterThan(5);
  }

  @Test
  void aWatcherHearsOfRequestsInTheirOrder() throws Exception {
    for (long seed = 1; seed <= 10; seed++) {
      FabricHarness harness = new FabricHarness(seed);
      List<String> heard = new ArrayList<>();
      List<String> made = new ArrayList<>();
      harness.active.watch((opcode, bytes) -> heard.add(SendOpcode.name(opcode) + " " + bytes));
      try (Pair pair = Pair.connect(harness)) {
        Buffer to = pair.passive.buffer(12);
        for (int i = 1; i <= 12; i++) {
          pair.passive.receive(i, to);
          pair.active.request(i, SendOpcode.SEND, SendFlags.SIGNALED, pair.active.buffer(i));
          pair.active.post();
          made.add(SendOpcode.name(SendOpcode.SEND) + " " + i);
        }
        for (int i = 0; i < 12; i++) {
          pair.active.awaitSent();
        }
      }
      assertThat(heard).as("seed " + seed).isEqualTo(made);
    }
  }

  @Test
  void aWatcherHearsOfWhatIsRefused() throws Exception {
    for (long seed = 1; seed <= 10; seed++) {
      FabricHarness harness = new FabricHarness(seed);
      List<String> heard = new ArrayList<>();
      harness.active.watch(
          new RequestWatcher() {
            @Override
            public void carriedOut(int opcode, long bytes) {
              heard.add(SendOpcode.name(opcode));
            }

            @Override
            public void refused(int opcode, int status) {
              heard.add(SendOpcode.name(opcode) + " refused: " + status);
            }
          });
      try (Pair pair = Pair.connect(harness)) {
        Buffer closed = pair.passive.buffer(8);
        pair.active
            .request(1, SendOpcode.RDMA_WRITE, SendFlags.SIGNALED, pair.active.buffer(8))
            .remote(0, closed.address(), closed.rkey());
        pair.active.post();
        pair.active.awaitSent();
      }
      assertThat(heard)
          .as("seed " + seed)
          .containsExactly(
              SendOpcode.name(SendOpcode.RDMA_WRITE) + " refused: " + WcStatus.REM_ACCESS_ERR);
    }
  }

  @Test
  void everyFreedomIsTakenBySomeOfAFewSeeds() {
    List<Temper> tempers =
        LongStream.rangeClosed(1, 12)
            .mapToObj(seed -> Temper.draw(new SplittableRandom(seed)))
            .toList();
    List<Function<Temper, Boolean>> freedoms =
        List.of(
            Temper::synchronous,
            Temper::slotsUntilPolled,
            Temper::exactQueues,
            Temper::lastWqeEvent,
            Temper::purgesOnDestroy,
            Temper::lateReads,
            Temper::landsBeforeRnr,
            Temper::refusalTakesReceive);
    for (Function<Temper, Boolean> freedom : freedoms) {
      assertThat(tempers.stream().map(freedom).collect(Collectors.toSet()))
          .as(tempers.toString())
          .containsExactlyInAnyOrder(true, false);
    }
  }

  @Test
  void aCutAfterDeliveryLeavesSomeSendersInDoubtThoughTheirPeersReceived() throws Exception {
    Set<Integer> outcomes = new HashSet<>();
    for (long seed = 1; seed <= 30; seed++) {
      FabricHarness harness = new FabricHarness(seed);
      try (Pair pair = Pair.connect(harness)) {
        pair.passive.receive(1, pair.passive.buffer(8));
        pair.active.request(2, SendOpcode.SEND, SendFlags.SIGNALED, pair.active.buffer(8));
        pair.active.post();
        harness.await("the receive", pair.passive::hasReceived);
        harness.fabric.cut(harness.active, harness.passive);
        outcomes.add(pair.active.awaitSent().status());
      }
    }
    assertThat(outcomes).containsExactlyInAnyOrder(WcStatus.SUCCESS, WcStatus.RETRY_EXC_ERR);
  }

  @Test
  void aSendThatPassesOnAReadNeedsItsFenceUnderSomeSeeds() throws Exception {
    assertThat(stalePassedOn(0)).isBetween(1, 29);
    assertThat(stalePassedOn(SendFlags.FENCE)).isZero();
  }

  /** How many of 30 seeds send on what the READ before has not brought yet. */
  private static int stalePassedOn(int flags) throws Exception {
    int stale = 0;
    for (long seed = 1; seed <= 30; seed++) {
      FabricHarness harness = new FabricHarness(seed);
      try (Pair pair = Pair.connect(harness)) {
        Buffer source = pair.passive.openBuffer(64).fill(seed);
        Buffer between = pair.active.buffer(64);
        Buffer back = pair.passive.buffer(64);
        pair.passive.receive(1, back);
        pair.active
            .request(2, SendOpcode.RDMA_READ, 0, between)
            .remote(0, source.address(), source.rkey());
        pair.active.post();
        pair.active.request(3, SendOpcode.SEND, flags, between);
        pair.active.post();
        pair.passive.awaitReceived();
        stale += Arrays.equals(back.bytes(), source.bytes()) ? 0 : 1;
      }
    }
    return stale;
  }

  @Test
  void repeatsToAReceiverThatIsNotReadyAsOftenAsToldAndAsSlowlyAsAsked() throws Exception {
    for (int repeats = 0; repeats < 7; repeats++) {
      FabricHarness harness = new FabricHarness(11);
      Setup setup = new Setup().rnrRetries(repeats);
      try (Pair pair = Pair.connect(harness, setup, setup)) {
        pair.passive.verbs().modify(new QpChange().minRnrTimer(20)); // 10.24 ms
        long before = harness.fabric.nanoTime();
        pair.active.request(1, SendOpcode.SEND, SendFlags.SIGNALED, pair.active.buffer(8));
        pair.active.post();
        assertThat(pair.active.awaitSent().status()).isEqualTo(WcStatus.RNR_RETRY_EXC_ERR);
        long waited = repeats * 10_240_000L;
        assertThat(harness.fabric.nanoTime() - before).isBetween(waited, waited + 10_000_000L);
      }
    }
  }

  @Test
  void aSharedClockSaysWhatIsDue() throws Exception {
    long[] now = {1_000};
    Fabric fabric = Fabric.stepped(3, () -> now[0]);
    FabricHost host = fabric.addHost("a", InetAddress.ofLiteral("10.0.0.1"));
    var channel = host.createEventChannel();
    var id = channel.createId(com.ibm.disni.verbs.RdmaCm.RDMA_PS_TCP);
    id.resolveAddr(null, new InetSocketAddress(InetAddress.ofLiteral("10.0.0.9"), 1), 5);
    assertThat(fabric.nextEventNanos()).isEqualTo(1_000 + 5_000_000);
    assertThat(fabric.step()).isFalse();
    assertThat(channel.getCmEvent(0)).isNull();
    now[0] += 5_000_000;
    assertThat(fabric.step()).isTrue();
    assertThat(channel.getCmEvent(0)).isNotNull();
    assertThat(fabric.step()).isFalse();
  }

  @Test
  void fabricsKnowNothingOfEachOther() throws Exception {
    FabricHarness one = new FabricHarness(1);
    FabricHarness other = new FabricHarness(2);
    try (Pair first = Pair.connect(one);
        Pair second = Pair.connect(other)) {
      one.fabric.cut(one.active, one.passive);
      second.passive.receive(1, second.passive.buffer(8));
      second.active.request(2, SendOpcode.SEND, SendFlags.SIGNALED, second.active.buffer(8));
      second.active.post();
      assertThat(second.passive.awaitReceived().status()).isZero();
      assertThat(first.passive.hasReceived()).isFalse();
      one.fabric.heal(one.active, one.passive);
    }
  }

  @Test
  void manyHostsShareAFabricAndOneCanServeTheOthers() throws Exception {
    Fabric fabric = Fabric.stepped(5);
    FabricHost server = fabric.addHost("server", InetAddress.ofLiteral("10.1.0.1"));
    for (int i = 2; i <= 20; i++) {
      FabricHost client = fabric.addHost("client" + i, InetAddress.ofLiteral("10.1.0." + i));
      try (Pair pair = Pair.connect(new FabricHarness(fabric, client, server))) {
        InetSocketAddress seen = (InetSocketAddress) pair.passive.id.getDestination();
        assertThat(seen.getAddress()).isEqualTo(client.addresses().getFirst());
      }
    }
  }
}
