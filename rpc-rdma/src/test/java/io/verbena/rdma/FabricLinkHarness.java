package io.verbena.rdma;

import io.verbena.core.link.LinkProvider;
import io.verbena.testkit.LinkHarness;
import io.verbena.verbs.fabric.DeviceProfile;
import java.net.URI;

/** RDMA links between two hosts of a stepped fabric; drivers take turns on the hosts. */
final class FabricLinkHarness implements LinkHarness {
  /** The contract sends a hundred Sends to a reader that stands still. */
  static final RdmaSettings SETTINGS = RdmaSettings.DEFAULT.withCredits(128);

  final FabricWorld world;
  final RdmaUpgradeProvider east;
  final RdmaUpgradeProvider west;
  private final LinkProvider provider;
  private int drivers;

  FabricLinkHarness(long seed, DeviceProfile profile) {
    world = new FabricWorld(seed, profile);
    east = new RdmaUpgradeProvider(new SteppedVerbs(world.east, world), SETTINGS, world);
    west = new RdmaUpgradeProvider(new SteppedVerbs(world.west, world), SETTINGS, world);
    provider = new UpgradeLinkProvider(() -> drivers++ % 2 == 0 ? east : west, world::step);
  }

  @Override
  public LinkProvider provider() {
    return provider;
  }

  @Override
  public URI freeAddress() {
    return URI.create("rdma://device:0");
  }

  @Override
  public URI nobodyListens() {
    return URI.create("rdma://10.9.0.2:1");
  }

  @Override
  public URI nobodyAnswers() {
    return URI.create("rdma://10.9.0.99:1");
  }

  /** Frames fit a slot. */
  @Override
  public int maxFrameBytes() {
    return SETTINGS.slotBytes() - 8;
  }

  @Override
  public void close() {
    if (east.pinnedBytes() + west.pinnedBytes() != 0) {
      throw new AssertionError("registered memory is left: " + east.pinnedBytes() + " bytes");
    }
  }
}
