package io.verbena.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.Session;
import io.verbena.link.LinkDriver;
import io.verbena.link.LinkException;
import io.verbena.link.LinkOptions;
import io.verbena.link.UpgradeDriver;
import io.verbena.link.UpgradeProvider;
import io.verbena.testkit.Seed;
import io.verbena.testkit.SteppedWorld;
import io.verbena.verbs.fabric.DeviceProfile;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A session whose ends have no version of the RDMA link in common stays on its first link. */
final class OtherVersionTest {
  private static final byte OTHER = 9;

  private final SteppedWorld world = new SteppedWorld().withoutWaits();
  private final FabricWorld verbs =
      new FabricWorld(
          Seed.random("other versions").nextLong(), DeviceProfile.full(), world.clock());
  private final RdmaUpgradeProvider east =
      new RdmaUpgradeProvider(
          new SteppedVerbs(verbs.east, verbs), RdmaSettings.DEFAULT, world.clock());
  private final RdmaUpgradeProvider west =
      new RdmaUpgradeProvider(
          new SteppedVerbs(verbs.west, verbs), RdmaSettings.DEFAULT, world.clock());

  @AfterEach
  void closeAndLeaveNothing() {
    world.close();
    assertThat(east.pinnedBytes() + west.pinnedBytes()).as("registered bytes left").isZero();
  }

  /** Asks and offers in another version. */
  private record OfAnotherVersion(UpgradeProvider provider) implements ForwardingProvider {
    @Override
    public UpgradeDriver newDriver(Runnable wakeLoop) {
      return new Driver(provider.newDriver(wakeLoop));
    }

    private record Driver(UpgradeDriver driver) implements ForwardingDriver {
      private static byte[] changed(byte[] message) {
        message[0] = OTHER;
        return message;
      }

      @Override
      public byte[] request(URI peer, LinkOptions options) throws LinkException {
        return changed(driver.request(peer, options));
      }

      @Override
      public byte[] offer(
          byte[] request, URI local, LinkOptions options, LinkDriver.ConnectHandler handler)
          throws LinkException {
        return changed(driver.offer(request, local, options, handler));
      }
    }
  }

  private Session session(UpgradeProvider client, UpgradeProvider server) {
    world.server(settings -> settings.serve(Echo.bind(text -> {})).upgrades(server));
    return world.client(settings -> settings.upgrades(client)).session(world.address());
  }

  private void assertStaysAndSays(Session session, String why) {
    for (int i = 0; i < 3; i++) {
      CompletableFuture<String> call = Echo.call(session, "call " + i);
      world.runUntil(call::isDone);
      assertThat(call).isCompletedWithValue("call " + i);
      world.pass(Duration.ofSeconds(10)); // it is asked for again meanwhile
      assertThat(session.path().link()).isNotIn("rdma", "none");
      assertThat(session.path().reason()).contains(why);
    }
    assertThat(east.counters().linksOpened() + west.counters().linksOpened()).isZero();
  }

  @Test
  void isRefusedByTheServerAndThePathSaysWhy() {
    Session session =
        session(
            new OfAnotherVersion(new SteppedUpgrade(east, verbs)), new SteppedUpgrade(west, verbs));
    assertStaysAndSays(
        session, "on the server: the client asked for an RDMA link in a version that is not 2");
  }

  @Test
  void isNotTakenByTheClientAndThePathSaysWhy() {
    Session session =
        session(
            new SteppedUpgrade(east, verbs), new OfAnotherVersion(new SteppedUpgrade(west, verbs)));
    assertStaysAndSays(session, "the peer's offer of an RDMA link is malformed: version 9");
  }
}
