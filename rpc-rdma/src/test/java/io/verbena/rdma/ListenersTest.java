package io.verbena.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.link.LinkException;
import io.verbena.rdma.wire.RdmaOffer;
import io.verbena.testkit.Seed;
import io.verbena.verbs.fabric.FabricAdapter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Offers follow the present devices and addresses. */
final class ListenersTest {
  private static final InetAddress FIRST = FabricWorld.address("10.9.0.2");
  private static final InetAddress SECOND = FabricWorld.address("10.9.1.2");
  private static final InetAddress LATER = FabricWorld.address("10.9.2.2");

  /** After which devices and addresses are looked for again. */
  private static final Duration A_WHILE = Duration.ofSeconds(1);

  private PassiveEnd passive;
  private FabricAdapter second;

  @SuppressWarnings("NullAway.Init") // by open
  ListenersTest() {}

  @BeforeEach
  void open() {
    passive = new PassiveEnd(Seed.random("listeners").nextLong());
    second = passive.world.west.addAdapter(SECOND);
  }

  @AfterEach
  void close() {
    passive.close();
  }

  private RdmaOffer offer() throws LinkException {
    return RdmaOffer.decode(passive.offer());
  }

  private static InetSocketAddress at(InetAddress address, RdmaOffer offer) {
    return offer.candidates().stream()
        .filter(one -> one.getAddress().equals(address))
        .findFirst()
        .orElseThrow(() -> new AssertionError(address + " is not among " + offer.candidates()));
  }

  private static List<InetAddress> addresses(RdmaOffer offer) {
    return offer.candidates().stream().map(InetSocketAddress::getAddress).toList();
  }

  private void connectsBy(InetAddress address, RdmaOffer offer) throws Exception {
    int before = passive.links.size();
    RdmaOffer there = new RdmaOffer(offer.token(), List.of(at(address, offer)));
    new RawPeer(passive).connect(there.encode());
    passive.stepUntil("one more link", () -> passive.links.size() == before + 1);
  }

  @Test
  void aDeviceThatComesBackIsOfferedAgainThoughAnotherStoodAllTheTime() throws Exception {
    RdmaOffer both = offer();
    connectsBy(SECOND, both);
    second.unplug();
    passive.pass(A_WHILE);
    RdmaOffer one = offer();
    assertThat(addresses(one)).contains(FIRST).doesNotContain(SECOND);
    assertThat(at(FIRST, one)).as("its listener").isEqualTo(at(FIRST, both));
    second.plugIn();
    passive.pass(A_WHILE);
    RdmaOffer again = offer();
    assertThat(at(FIRST, again)).as("its listener").isEqualTo(at(FIRST, both));
    connectsBy(SECOND, again);
    connectsBy(FIRST, offer());
  }

  @Test
  void aDeviceThatIsRemovedIsNotOfferedAnyMoreFromThenOn() throws Exception {
    assertThat(addresses(offer())).contains(SECOND);
    second.unplug(); // and the event has not been read yet
    assertThat(addresses(offer())).contains(FIRST).doesNotContain(SECOND);
  }

  @Test
  void aDeviceThatCannotBeAskedForItsAddressesKeepsNoOtherFromBeingOffered() throws Exception {
    second.breakDown();
    assertThat(addresses(offer())).contains(FIRST).doesNotContain(SECOND);
  }

  @Test
  void anAddressIsOfferedWhileADeviceHasIt() throws Exception {
    assertThat(addresses(offer())).contains(SECOND).doesNotContain(LATER);
    second.acquire(LATER);
    passive.pass(A_WHILE);
    connectsBy(LATER, offer());
    second.lose(LATER);
    passive.pass(A_WHILE);
    assertThat(addresses(offer())).contains(FIRST, SECOND).doesNotContain(LATER);
    assertThat(passive.links).singleElement().matches(link -> !link.heard().isClosed());
  }

  /** As when a network interface of an adapter takes over for another. */
  @Test
  void anAddressThatMovesIsListenedAtWhereItIsNow() throws Exception {
    connectsBy(SECOND, offer());
    second.lose(SECOND);
    passive.world.west.adapter().acquire(SECOND);
    passive.pass(A_WHILE);
    connectsBy(SECOND, offer());
  }
}
