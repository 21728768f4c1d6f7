package io.verbena.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import io.verbena.link.LinkException;
import io.verbena.link.Secret;
import io.verbena.link.UpgradeDriver;
import io.verbena.rdma.wire.Greeting;
import io.verbena.rdma.wire.RdmaOffer;
import io.verbena.rdma.wire.RdmaRefusal;
import io.verbena.rdma.wire.SendHeader;
import io.verbena.rdma.wire.Terms;
import io.verbena.testkit.Seed;
import io.verbena.verbs.fabric.DeviceProfile;
import io.verbena.verbs.fabric.FabricHost;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A token opens one link, once and in time. */
final class TokenTest {
  private static final Terms TERMS = new Terms(32, 32, SendHeader.CONTROL_CREDITS, 8192, 0);

  private PassiveEnd passive;

  @SuppressWarnings("NullAway.Init") // by open
  TokenTest() {}

  @BeforeEach
  void open() {
    passive = new PassiveEnd(Seed.random("tokens").nextLong());
  }

  @AfterEach
  void close() {
    passive.close();
  }

  private RawPeer ask(byte[] offer, ByteBuffer greeting) throws IOException, LinkException {
    RawPeer peer = new RawPeer(passive);
    peer.connect(RdmaOffer.decode(offer).candidates().getFirst(), greeting);
    return peer;
  }

  private static ByteBuffer greeting(byte[] offer) throws LinkException {
    return new Greeting(RdmaOffer.decode(offer).token(), TERMS).encode();
  }

  private static void assertRefused(RawPeer peer, String why) {
    assertThat(peer.heard()).isEqualTo(EventType.RDMA_CM_EVENT_REJECTED);
    assertThat(RdmaRefusal.decode(peer.heardData())).contains(why);
  }

  @Test
  void opensALinkOnce() throws Exception {
    byte[] offer = passive.offer();
    new RawPeer(passive).connect(offer);
    assertRefused(ask(offer, greeting(offer)), "was used before");
    assertThat(passive.counted().replayedTokens()).isEqualTo(1);
    assertThat(passive.links).hasSize(1);
    assertThat(passive.links.getFirst().heard().isClosed()).isFalse();
  }

  @Test
  void ofNobodysIsRefusedBeforeAnythingIsMadeForIt() throws Exception {
    byte[] offer = passive.offer();
    Secret guessed = Secret.random(new SecureRandom());
    assertRefused(ask(offer, new Greeting(guessed, TERMS).encode()), "not valid");
    assertThat(passive.counted().unknownTokens()).isEqualTo(1);
    assertThat(passive.provider.pinnedBytes()).isZero();
    new RawPeer(passive).connect(offer); // the offer still stands
  }

  @Test
  void thatIsMissingIsRefusedBeforeAnythingIsMadeForIt() throws Exception {
    byte[] offer = passive.offer();
    ByteBuffer untold = new Greeting(new Secret(0, 0), TERMS).encode();
    for (ByteBuffer without : List.of(ByteBuffer.allocate(0), ByteBuffer.allocate(1), untold)) {
      assertThat(ask(offer, without).heard()).isEqualTo(EventType.RDMA_CM_EVENT_REJECTED);
    }
    assertThat(passive.counted().unknownTokens()).isEqualTo(3);
    assertThat(passive.provider.pinnedBytes()).isZero();
    assertThat(passive.links).isEmpty();
  }

  /** An acceptance repeats the token: somebody else's tells him. */
  @Test
  void ofAnotherInAnAcceptanceIsNoLink() throws Exception {
    Secret guessed = Secret.random(new SecureRandom());
    assertThat(failureWhereAcceptedWith(new Greeting(guessed, TERMS).encode()))
        .contains("the end that accepted the connection did not make the offer");
  }

  @Test
  void inAnAcceptanceOfAnotherVersionIsNoLink() throws Exception {
    ByteBuffer other = new Greeting(Secret.random(new SecureRandom()), TERMS).encode();
    other.put(0, (byte) 9);
    assertThat(failureWhereAcceptedWith(other)).contains("the peer speaks version 9");
  }

  /** Returns why there is no link, for which nothing was registered and which was counted. */
  private @Nullable String failureWhereAcceptedWith(ByteBuffer greeting) throws Exception {
    FabricWorld world = passive.world;
    FabricHost north =
        world.fabric.addHost("north", DeviceProfile.full(), FabricWorld.address("10.9.0.3"));
    Impostor impostor = new Impostor(north, greeting);
    RdmaUpgradeProvider provider =
        new RdmaUpgradeProvider(new SteppedVerbs(world.east, world), PassiveEnd.SETTINGS, world);
    FailureHeard failure = new FailureHeard();
    try (UpgradeDriver active = provider.newDriver(() -> {})) {
      RdmaOffer intercepted =
          new RdmaOffer(RdmaOffer.decode(passive.offer()).token(), List.of(impostor.address()));
      active.connect(intercepted.encode(), PassiveEnd.OPTIONS, failure);
      passive.stepUntil(
          "the failure",
          () -> {
            active.poll(world.nanoTime());
            impostor.step();
            return failure.message() != null;
          });
    }
    assertThat(impostor.accepted()).isEqualTo(1);
    assertThat(provider.counters().unknownTokens()).isEqualTo(1);
    assertThat(provider.counters().linksOpened()).isZero();
    assertThat(provider.pinnedBytes()).isZero();
    return failure.message();
  }

  @Test
  void isGoodForALimitedTime() throws Exception {
    byte[] offer = passive.offer();
    expireAll();
    assertThat(passive.failures).singleElement().asString().contains("in time");
    assertRefused(ask(offer, greeting(offer)), "token");
    assertThat(passive.counted().expiredTokens()).isEqualTo(1);
    assertThat(passive.provider.pinnedBytes()).isZero();
  }

  /** Its connection manager would repeat the acceptance for a minute. */
  @Test
  void leavesNothingBehindOnceUsedByAPeerThatThenSaysNoMore() throws Exception {
    byte[] offer = passive.offer();
    RawPeer mute = new RawPeer(passive);
    mute.request(RdmaOffer.decode(offer).candidates().getFirst(), greeting(offer));
    passive.stepUntil("the link to be made", () -> passive.provider.pinnedBytes() > 0);
    expireAll();
    passive.stepUntil("the end of its drain", () -> !passive.failures.isEmpty());
    assertThat(passive.failures).singleElement().asString().contains("it was not open in time");
    assertThat(passive.links).isEmpty();
  }

  @Test
  void isRememberedUntilThereAreManyLaterOnes() throws Exception {
    byte[] used = passive.offer();
    new RawPeer(passive).connect(used);
    byte[] expired = passive.offer();
    expireAll();
    for (int i = 0; i < 1024; i++) {
      passive.offer();
    }
    expireAll();
    assertRefused(ask(used, greeting(used)), "not valid");
    assertRefused(ask(expired, greeting(expired)), "not valid");
  }

  private void expireAll() {
    long nanos = PassiveEnd.OPTIONS.connectTimeout().multipliedBy(2).toNanos();
    for (int i = 0; i <= 100; i++) { // each look at a thousand offers takes its time
      passive.world.pass(nanos / 100);
      passive.step();
    }
  }

  @Test
  void isAskedForInAVersionThatThisEndKnows() throws Exception {
    byte[] offer = passive.offer();
    ByteBuffer other = greeting(offer);
    other.put(0, (byte) 9);
    assertRefused(ask(offer, other), "version 9");
    ByteBuffer greedy = new Greeting(RdmaOffer.decode(offer).token(), TERMS).encode();
    greedy.putInt(22, Integer.MAX_VALUE);
    assertRefused(ask(offer, greedy), "is malformed");
    assertThat(passive.counted().unknownTokens()).isEqualTo(2);
  }

  @Test
  void isNotFoundInRandomPrivateData() throws Exception {
    Random random = Seed.random("random private data");
    byte[] offer = passive.offer();
    for (int i = 0; i < 50; i++) {
      byte[] noise = new byte[random.nextInt(57)];
      random.nextBytes(noise);
      if (random.nextBoolean() && noise.length > 1) {
        noise[0] = Greeting.VERSION;
      }
      assertThat(ask(offer, ByteBuffer.wrap(noise)).heard())
          .isEqualTo(EventType.RDMA_CM_EVENT_REJECTED);
    }
    assertThat(passive.counted().unknownTokens()).isEqualTo(50);
    assertThat(passive.links).isEmpty();
  }

  @Test
  void isNotGivenForARequestThatIsNone() {
    assertThatThrownBy(
            () ->
                passive.driver.offer(
                    new byte[] {77},
                    URI.create("tcp://10.9.0.2:1"),
                    PassiveEnd.OPTIONS,
                    new FailureHeard()))
        .isInstanceOf(LinkException.class)
        .hasMessageContaining("version");
  }

  @Test
  void inAMalformedOfferEndsTheAttemptInWords() {
    Random random = Seed.random("malformed offers");
    for (int i = 0; i < 200; i++) {
      byte[] noise = new byte[random.nextInt(100)];
      random.nextBytes(noise);
      if (noise.length > 17) {
        noise[0] = Greeting.VERSION;
        noise[17] = (byte) (1 + random.nextInt(8));
      }
      FailureHeard failure = new FailureHeard();
      passive.driver.connect(noise, PassiveEnd.OPTIONS, failure);
      passive.stepUntil("the failure", () -> failure.message() != null);
    }
    passive.pass(Duration.ofMillis(1));
  }
}
