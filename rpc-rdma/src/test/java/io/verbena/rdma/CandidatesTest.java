package io.verbena.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import com.ibm.disni.verbs.RdmaCm;
import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaEventChannel;
import io.verbena.link.Link;
import io.verbena.link.LinkDriver;
import io.verbena.link.LinkException;
import io.verbena.link.LinkListener;
import io.verbena.link.UpgradeDriver;
import io.verbena.rdma.wire.RdmaOffer;
import io.verbena.testkit.RecordingListener;
import io.verbena.testkit.Seed;
import io.verbena.verbs.fabric.DeviceProfile;
import io.verbena.verbs.fabric.FabricAdapter;
import io.verbena.verbs.fabric.FabricHost;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A host of several addresses is reached by any of them, though others lead nowhere. */
final class CandidatesTest {
  private static final Duration TIMEOUT = PassiveEnd.OPTIONS.connectTimeout();
  private static final Duration HALF = TIMEOUT.dividedBy(2);
  private static final EventType[] TYPES = EventType.values();
  private static final InetSocketAddress NOBODY =
      new InetSocketAddress(FabricWorld.address("10.9.0.99"), 7);

  private PassiveEnd passive;
  private RdmaUpgradeProvider provider;
  private UpgradeDriver active;

  /** An address that resolves, and takes connection requests without a word. */
  private InetSocketAddress silent;

  private RdmaEventChannel heardBySilent;
  private int requestsToSilent;

  @SuppressWarnings("NullAway.Init") // by open
  CandidatesTest() {}

  @BeforeEach
  void open() throws IOException {
    passive = new PassiveEnd(Seed.random("candidates").nextLong());
    FabricWorld world = passive.world;
    provider =
        new RdmaUpgradeProvider(new SteppedVerbs(world.east, world), PassiveEnd.SETTINGS, world);
    active = provider.newDriver(() -> {});
    InetAddress address = FabricWorld.address("10.9.0.3");
    FabricHost north = world.fabric.addHost("north", DeviceProfile.full(), address);
    heardBySilent = north.createEventChannel();
    RdmaCmId listener = heardBySilent.createId(RdmaCm.RDMA_PS_TCP);
    listener.bindAddr(new InetSocketAddress(address, 0));
    listener.listen(8);
    silent = (InetSocketAddress) listener.getSource();
  }

  @AfterEach
  void close() {
    active.close();
    passive.close();
    assertThat(provider.pinnedBytes()).as("registered bytes left").isZero();
  }

  private static final class Outcome implements LinkDriver.ConnectHandler {
    private @Nullable Link link;
    private @Nullable String failure;

    @Override
    public LinkListener onConnected(Link opened) {
      link = opened;
      return new RecordingListener();
    }

    @Override
    public void onFailed(LinkException e) {
      failure = e.getMessage();
    }

    boolean isKnown() {
      return link != null || failure != null;
    }

    String peer() {
      return link == null ? "none: " + failure : link.peerAddress();
    }
  }

  private Outcome connect(RdmaOffer offer) {
    Outcome outcome = new Outcome();
    active.connect(offer.encode(), PassiveEnd.OPTIONS, outcome);
    return outcome;
  }

  private Outcome outcomeOf(RdmaOffer offer) {
    Outcome outcome = connect(offer);
    stepUntil("the outcome", outcome::isKnown);
    return outcome;
  }

  private void stepUntil(String what, BooleanSupplier condition) {
    passive.stepUntil(
        what,
        () -> {
          active.poll(passive.world.nanoTime());
          listenSilently();
          return condition.getAsBoolean();
        });
  }

  private void pass(Duration time) {
    long until = passive.world.nanoTime() + time.toNanos();
    stepUntil(time + " to pass", () -> passive.world.nanoTime() >= until);
  }

  private void listenSilently() {
    try {
      RdmaCmEvent event = heardBySilent.getCmEvent(0);
      if (event != null) {
        if (TYPES[event.getEvent()] == EventType.RDMA_CM_EVENT_CONNECT_REQUEST) {
          requestsToSilent++;
        }
        event.ackEvent();
      }
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private RdmaOffer offer() throws LinkException {
    return RdmaOffer.decode(passive.offer());
  }

  /** An offer by which the silent address is to be tried first. */
  private RdmaOffer silentFirst() throws LinkException {
    RdmaOffer offer = offer();
    return new RdmaOffer(offer.token(), List.of(silent, offer.candidates().getFirst()));
  }

  private Duration since(long nanos) {
    return Duration.ofNanos(passive.world.nanoTime() - nanos);
  }

  @Test
  void aSilentOneLeavesTheNextItsShareOfTheTime() throws Exception {
    long start = passive.world.nanoTime();
    Outcome outcome = outcomeOf(silentFirst());
    assertThat(outcome.peer()).startsWith("rdma://10.9.0.2:");
    assertThat(since(start)).isBetween(HALF, HALF.plusMillis(200));
    assertThat(requestsToSilent).isEqualTo(1);
  }

  @Test
  void theOneThatWorkedIsTriedFirstNextTime() throws Exception {
    outcomeOf(silentFirst());
    long start = passive.world.nanoTime();
    assertThat(outcomeOf(silentFirst()).peer()).startsWith("rdma://10.9.0.2:");
    assertThat(since(start)).isLessThan(HALF);
    assertThat(requestsToSilent).as("asked by the first attempt alone").isEqualTo(1);
  }

  @Test
  void whoseAnswerIsLostIsNotTriedFirstNextTime() throws Exception {
    FabricWorld world = passive.world;
    assertThat(offer().candidates()).hasSize(2);
    Outcome first = connect(offer());
    stepUntil("the request", passive.driver::isInUse);
    world.fabric.cut(world.east, world.west);
    pass(HALF.minusMillis(100));
    world.fabric.heal(world.east, world.west);
    stepUntil("the outcome", first::isKnown);
    assertThat(first.failure).contains("no answer").contains("the token was used before");
    assertThat(passive.counted().replayedTokens()).isEqualTo(1);
    assertThat(outcomeOf(offer()).peer()).contains("fd00:");
  }

  @Test
  void theRemovalOfADeviceLeavesAnAttemptToAnotherAlone() throws Exception {
    FabricWorld world = passive.world;
    FabricAdapter second = world.west.addAdapter(FabricWorld.address("10.9.1.2"));
    RdmaOffer offer = offer();
    assertThat(offer.candidates()).hasSize(3);
    world.fabric.delay(world.east, world.west, Duration.ofMillis(20).toNanos());
    Outcome outcome = connect(new RdmaOffer(offer.token(), List.of(offer.candidates().getFirst())));
    pass(Duration.ofMillis(10)); // its request is under way
    second.unplug();
    stepUntil("the outcome", outcome::isKnown);
    assertThat(outcome.peer()).startsWith("rdma://10.9.0.2:");
  }

  @Test
  void whereAllAreSilentTheAttemptFailsInTimeAndSaysSoOfEach() throws Exception {
    RdmaOffer toNobody = new RdmaOffer(offer().token(), List.of(silent, NOBODY));
    long start = passive.world.nanoTime();
    String failure = outcomeOf(toNobody).failure;
    assertThat(since(start)).isBetween(TIMEOUT.minusMillis(2), TIMEOUT.plusMillis(200));
    assertThat(failure)
        .contains("10.9.0.3:" + silent.getPort() + ": no answer in its share of 2000 ms")
        .contains("10.9.0.99:7: ");
    start = passive.world.nanoTime();
    assertThat(outcomeOf(toNobody).failure).as("begun with the other").isEqualTo(failure);
    assertThat(since(start)).isLessThan(TIMEOUT.plusMillis(200));
    assertThat(requestsToSilent).isEqualTo(2);
  }
}
