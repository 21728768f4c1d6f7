package io.verbena.rdma;

import io.verbena.link.Link;
import io.verbena.link.LinkDriver;
import io.verbena.link.LinkException;
import io.verbena.link.LinkListener;
import io.verbena.link.LinkOptions;
import io.verbena.link.UpgradeDriver;
import io.verbena.rdma.wire.UpgradeRequest;
import io.verbena.testkit.LinkEnd;
import io.verbena.testkit.RecordingListener;
import io.verbena.verbs.fabric.DeviceProfile;
import java.lang.foreign.Arena;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/** The passive end of upgrades on the host "west", for peers of any kind on the host "east". */
final class PassiveEnd implements AutoCloseable {
  static final RdmaSettings SETTINGS = RdmaSettings.DEFAULT.withGuaranteedCredits(4);
  static final LinkOptions OPTIONS = LinkOptions.of(64 << 10, Duration.ofSeconds(2), null);
  private static final int MOST_STEPS = 3_000_000;

  final FabricWorld world;
  final RdmaUpgradeProvider provider;
  final UpgradeDriver driver;
  final List<LinkEnd> links = new ArrayList<>();
  final List<String> failures = new ArrayList<>();

  /** Of peers and landings: a device may use it as long as there is one. */
  final Arena memory = Arena.ofShared();

  PassiveEnd(long seed) {
    this(seed, SETTINGS);
  }

  PassiveEnd(long seed, RdmaSettings settings) {
    world = new FabricWorld(seed, DeviceProfile.full());
    provider = new RdmaUpgradeProvider(new SteppedVerbs(world.west, world), settings, world);
    driver = provider.newDriver(() -> {});
  }

  /** Makes an offer for one peer. */
  byte[] offer() throws LinkException {
    return driver.offer(
        UpgradeRequest.encode(), URI.create("tcp://10.9.0.2:7400"), OPTIONS, new Handler());
  }

  /** Steps the world and this end until something is so. */
  void stepUntil(String what, BooleanSupplier condition) {
    for (int i = 0; !condition.getAsBoolean(); i++) {
      if (i == MOST_STEPS) {
        throw new AssertionError("waited in vain for " + what + " in " + world.fabric);
      }
      step();
    }
  }

  void step() {
    world.step();
    driver.poll(world.nanoTime());
  }

  /** Lets time pass. */
  void pass(Duration time) {
    long until = world.nanoTime() + time.toNanos();
    stepUntil(time + " to pass", () -> world.nanoTime() >= until);
  }

  RdmaCounters.Snapshot counted() {
    return provider.counters();
  }

  @Override
  public void close() {
    driver.close();
    memory.close();
    for (LinkEnd link : links) {
      if (!link.heard().isClosed() || !link.heard().breaches().isEmpty()) {
        throw new AssertionError("a link's end is not as told: " + link.heard().breaches());
      }
    }
    if (provider.pinnedBytes() != 0) {
      throw new AssertionError(provider.pinnedBytes() + " bytes are still registered");
    }
  }

  private final class Handler implements LinkDriver.ConnectHandler {
    @Override
    public LinkListener onConnected(Link link) {
      RecordingListener heard = new RecordingListener();
      links.add(new LinkEnd(link, heard));
      return heard;
    }

    @Override
    public void onFailed(LinkException failure) {
      failures.add(String.valueOf(failure.getMessage()));
    }
  }
}
