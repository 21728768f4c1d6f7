package io.verbena.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.link.LinkException;
import io.verbena.link.UpgradeDriver;
import io.verbena.link.UpgradeProvider;
import io.verbena.link.UpgradeProvider.Availability;
import io.verbena.link.runtime.NanoClock;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Hosts and peers with shared-memory links. */
final class AvailabilityTest {
  private static ShmUpgradeProvider in(Path base) {
    return new ShmUpgradeProvider(base, ShmSettings.DEFAULT, NanoClock.SYSTEM);
  }

  @Test
  void theProviderIsFoundAndStandsAboveOthers() {
    UpgradeProvider found =
        ServiceLoader.load(UpgradeProvider.class).stream()
            .map(ServiceLoader.Provider::get)
            .filter(one -> one.kind().equals("shm"))
            .findFirst()
            .orElseThrow();
    assertThat(found.priority()).isPositive();
    assertThat(found.availability()).isEqualTo(new Availability.Available("/dev/shm"));
  }

  @Test
  void thereAreNoneWithoutTheDirectory(@TempDir Path base) {
    Path none = base.resolve("none");
    assertThat(in(none).availability())
        .isEqualTo(
            new Availability.Unavailable(
                "no shared memory: "
                    + none
                    + " is not a directory that this process may write to"));
  }

  @Test
  void nothingIsLeftWhereDirectoriesAreNotForTheUserAlone(@TempDir Path base) throws Exception {
    Files.setAttribute(base, "unix:mode", 02700); // a directory below has the first digit, too
    try (TwoEnds ends = new TwoEnds(base)) {
      assertThatThrownBy(() -> ends.offer(new TwoEnds.Outcome()))
          .hasMessageContaining("must be a directory that belongs to this process's user");
      assertThat(base).isEmptyDirectory();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"tcp://127.0.0.1:7400", "tcp://127.8.9.1:1", "tcp://[::1]:7400"})
  void loopbackIsThisHost(String peer, @TempDir Path base) throws LinkException {
    try (UpgradeDriver driver = in(base).newDriver(() -> {})) {
      assertThat(driver.request(URI.create(peer), TwoEnds.OPTIONS)).isNotEmpty();
      assertThat(in(base).outOfReach(URI.create(peer))).isEmpty();
    }
  }

  @Test
  void everyAddressOfAnInterfaceIsThisHost(@TempDir Path base) throws Exception {
    for (InetAddress address :
        NetworkInterface.networkInterfaces().flatMap(NetworkInterface::inetAddresses).toList()) {
      URI peer = new URI("tcp", null, address.getHostAddress(), 7400, null, null, null);
      assertThat(in(base).outOfReach(peer)).as("%s", peer).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"tcp://192.0.2.7:7400", "tcp://[2001:db8::7]:1", "mem://x", "tcp://x:1"})
  void othersAreElsewhere(String peer, @TempDir Path base) {
    try (UpgradeDriver driver = in(base).newDriver(() -> {})) {
      assertThatThrownBy(() -> driver.request(URI.create(peer), TwoEnds.OPTIONS))
          .isInstanceOf(LinkException.class)
          .hasMessageStartingWith("no interface here has the peer's address ");
      assertThat(in(base).outOfReach(URI.create(peer)))
          .contains("the peer is on another host, or in a container with a network of its own");
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, -1, 1000, 128 << 10, 300_000, 32 << 20})
  void ringsOfOtherLengthsAreRefused(int bytes) {
    assertThatThrownBy(() -> ShmSettings.DEFAULT.withRingBytes(bytes))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("ringBytes must be a power of two from 256 KiB to 16 MiB, not " + bytes);
  }

  @Test
  void aDriverThatIsClosedTellsWhoConnectsByIt(@TempDir Path base) {
    UpgradeDriver driver = in(base).newDriver(() -> {});
    driver.close();
    TwoEnds.Outcome outcome = new TwoEnds.Outcome();
    driver.connect(new byte[0], TwoEnds.OPTIONS, outcome);
    assertThat(outcome.failure()).isEqualTo("the driver of the shared-memory links is closed");
  }
}
