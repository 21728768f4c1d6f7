package io.verbena.rdma;

import io.verbena.link.LinkProvider;
import io.verbena.testkit.LinkHarness;
import io.verbena.testkit.UpgradeLinkProvider;
import io.verbena.verbs.fabric.DeviceBehaviour;
import io.verbena.verbs.fabric.DeviceProfile;
import java.net.URI;
import java.nio.ByteBuffer;

/** RDMA links between two hosts of a stepped fabric; drivers take turns on the hosts. */
final class FabricLinkHarness implements LinkHarness {
  /** The contract sends a hundred Sends to a reader that stands still. */
  static final RdmaSettings SETTINGS =
      RdmaSettings.DEFAULT.withCredits(128).withGuaranteedCredits(100);

  final FabricWorld world;
  final RdmaUpgradeProvider east;
  final RdmaUpgradeProvider west;
  private final LinkProvider provider;
  private final int allocatedBytesPerRoundTrip;
  private int drivers;

  FabricLinkHarness(long seed, DeviceProfile profile) {
    this(seed, profile, SETTINGS);
  }

  FabricLinkHarness(long seed, DeviceProfile profile, RdmaSettings settings) {
    this(seed, profile, profile, settings);
  }

  /** Links of a client's and a server's different devices. */
  FabricLinkHarness(long seed, DeviceProfile client, DeviceProfile server, RdmaSettings settings) {
    world = new FabricWorld(seed, client, server, null);
    // The fabric keeps what it delivers later.
    allocatedBytesPerRoundTrip = client.has(DeviceBehaviour.COMPLETES_BEFORE_DELIVERY) ? 256 : 0;
    east = new RdmaUpgradeProvider(new SteppedVerbs(world.east, world), settings, world);
    west = new RdmaUpgradeProvider(new SteppedVerbs(world.west, world), settings, world);
    provider =
        new UpgradeLinkProvider(
            new RdmaOffers(),
            wake -> (drivers++ % 2 == 0 ? east : west).newDriver(wake),
            world::step,
            world);
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

  @Override
  public int allocatedBytesPerRoundTrip() {
    return allocatedBytesPerRoundTrip;
  }

  /** Frames fit a slot. */
  @Override
  public int maxFrameBytes() {
    return SETTINGS.slotBytes() - 8;
  }

  /** The landing's length stands at the end of an advertisement. */
  @Override
  public byte[] overstated(byte[] advertisement) {
    return overstate(advertisement);
  }

  static byte[] overstate(byte[] advertisement) {
    byte[] lie = advertisement.clone();
    ByteBuffer buffer = ByteBuffer.wrap(lie);
    int length = lie.length - Long.BYTES;
    buffer.putLong(length, 2 * buffer.getLong(length));
    return lie;
  }

  /** Longer than any fabric takes to bind a window. */
  @Override
  public void targetOpened() {
    world.pass(20_000_000);
  }

  @Override
  public long nanoTime() {
    return world.nanoTime();
  }

  @Override
  public boolean takesHugeRegions() {
    return false;
  }

  @Override
  public void close() {
    if (east.pinnedBytes() + west.pinnedBytes() != 0) {
      throw new AssertionError("registered memory is left: " + east.pinnedBytes() + " bytes");
    }
    if (world.east.objects() + world.west.objects() != 0) {
      throw new AssertionError(
          "objects are left: %d and %d".formatted(world.east.objects(), world.west.objects()));
    }
  }
}
