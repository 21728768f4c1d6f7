package io.verbena.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.link.Link;
import io.verbena.link.LinkDriver;
import io.verbena.link.LinkException;
import io.verbena.link.LinkListener;
import io.verbena.link.Secret;
import io.verbena.link.UpgradeDriver;
import io.verbena.rdma.wire.RdmaOffer;
import io.verbena.rdma.wire.UpgradeRequest;
import io.verbena.testkit.RecordingListener;
import io.verbena.testkit.Seed;
import io.verbena.verbs.fabric.DeviceProfile;
import io.verbena.verbs.fabric.FabricHost;
import java.net.InetSocketAddress;
import java.net.URI;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Differences of siw from RoCE and InfiniBand. */
final class IwarpTest {
  private static final int MOST_STEPS = 1_000_000;

  private final FabricWorld world =
      new FabricWorld(
          Seed.random("iWARP").nextLong(),
          DeviceProfile.full().withoutWriteWithImmediate().withoutMemoryWindows().withoutSrq());
  private final RdmaUpgradeProvider east = links(world.east);
  private final RdmaUpgradeProvider west = links(world.west);
  private final UpgradeDriver active = east.newDriver(() -> {});
  private final UpgradeDriver passive = west.newDriver(() -> {});
  private final List<Link> open = new ArrayList<>();
  private final List<String> failures = new ArrayList<>();

  private final LinkDriver.ConnectHandler handler =
      new LinkDriver.ConnectHandler() {
        @Override
        public LinkListener onConnected(Link link) {
          open.add(link);
          return new RecordingListener();
        }

        @Override
        public void onFailed(LinkException e) {
          failures.add(String.valueOf(e.getMessage()));
        }
      };

  private RdmaUpgradeProvider links(FabricHost host) {
    return new RdmaUpgradeProvider(new SteppedVerbs(host, world), RdmaSettings.DEFAULT, world);
  }

  @AfterEach
  void close() {
    active.close();
    passive.close();
  }

  private RdmaOffer offer() throws LinkException {
    URI tcp = URI.create("tcp://10.9.0.2:7400");
    return RdmaOffer.decode(
        passive.offer(UpgradeRequest.encode(), tcp, PassiveEnd.OPTIONS, handler));
  }

  private void stepUntil(BooleanSupplier condition) {
    for (int i = 0; !condition.getAsBoolean(); i++) {
      assertThat(i).isLessThan(MOST_STEPS);
      world.step();
      active.poll(world.nanoTime());
      passive.poll(world.nanoTime());
    }
  }

  private String failure(RdmaOffer offer) {
    active.connect(offer.encode(), PassiveEnd.OPTIONS, handler);
    stepUntil(() -> !failures.isEmpty());
    return failures.getFirst();
  }

  /** A request that is posted to a queue pair in ERR is never heard of again. */
  @Test
  void aLinkEndsAtOnceOnBothEnds() throws Exception {
    active.connect(offer().encode(), PassiveEnd.OPTIONS, handler);
    stepUntil(() -> open.size() == 2);
    long start = world.nanoTime();
    open.getFirst().close();
    stepUntil(() -> !active.isInUse() && !passive.isInUse());
    assertThat(Duration.ofNanos(world.nanoTime() - start)).isLessThan(Duration.ofMillis(500));
    assertThat(east.counters().undrained()).isZero();
    assertThat(west.counters().undrained()).isZero();
  }

  /** The status of the event is the number of an error, whoever rejected. */
  @Test
  void aRefusalSaysItsReason() throws Exception {
    Secret guessed = Secret.random(new SecureRandom());
    List<InetSocketAddress> candidates = offer().candidates().subList(0, 1);
    assertThat(failure(new RdmaOffer(guessed, candidates)))
        .contains("the peer refused: the token is not valid");
  }

  @Test
  void thatNobodyListensIsSaid() throws Exception {
    RdmaOffer offer = offer();
    InetSocketAddress elsewhere =
        new InetSocketAddress(offer.candidates().getFirst().getAddress(), 1);
    assertThat(failure(new RdmaOffer(offer.token(), List.of(elsewhere))))
        .contains("nothing listens there");
  }
}
