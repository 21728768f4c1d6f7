package io.verbena.rdma;

import io.verbena.link.LinkProvider;
import io.verbena.link.UpgradeDriver;
import io.verbena.link.runtime.NanoClock;
import io.verbena.testkit.LinkHarness;
import io.verbena.testkit.UpgradeLinkProvider;
import io.verbena.verbs.ffm.FfmProvider;
import java.net.URI;

/** RDMA links over the device that tests tagged "lab" run on, from it to itself. */
class DeviceLinkHarness implements LinkHarness {
  private final RdmaSettings settings;
  private final RdmaUpgradeProvider links;
  private final LinkProvider provider;

  DeviceLinkHarness(RdmaSettings settings) {
    this.settings = settings;
    links = new RdmaUpgradeProvider(new FfmProvider(), settings, NanoClock.SYSTEM);
    provider =
        new UpgradeLinkProvider(new RdmaOffers(), this::newDriver, () -> {}, NanoClock.SYSTEM);
  }

  /** Makes what steps one end. */
  UpgradeDriver newDriver(Runnable wakeLoop) {
    return links.newDriver(wakeLoop);
  }

  long pinnedBytes() {
    return links.pinnedBytes();
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
    return URI.create("rdma://" + variable("LAB_ADDRESS") + ":1");
  }

  /** An address of the device's network that no host has. */
  @Override
  public URI nobodyAnswers() {
    String address = variable("LAB_ADDRESS");
    return URI.create("rdma://" + address.substring(0, address.lastIndexOf('.')) + ".253:1");
  }

  @Override
  public int maxFrameBytes() {
    return settings.slotBytes() - 8;
  }

  /**
   * The link allocates nothing, as the same test over the fabric shows; 77 to 135 bytes were seen
   * in the laboratory, and so come from the native side of the calls.
   */
  @Override
  public int allocatedBytesPerRoundTrip() {
    return 256;
  }

  @Override
  public byte[] overstated(byte[] advertisement) {
    return FabricLinkHarness.overstate(advertisement);
  }

  @Override
  public boolean takesHugeRegions() {
    return false;
  }

  @Override
  public void close() {
    requireNothingLeft(links);
  }

  /** Every queue pair was drained, and nothing is registered any more. */
  static void requireNothingLeft(RdmaUpgradeProvider links) {
    if (links.counters().undrained() != 0) {
      throw new AssertionError("a queue pair was destroyed before it was drained");
    }
    if (links.pinnedBytes() != 0) {
      throw new AssertionError(links.pinnedBytes() + " bytes are still registered");
    }
  }

  static String variable(String name) {
    String value = System.getenv(name);
    if (value == null || value.isEmpty()) {
      throw new IllegalStateException(
          name + " is not set: run the tests tagged lab by 'lab/run-tests rpc-rdma'.");
    }
    return value;
  }
}
