package io.verbena.verbs.fabric;

import io.verbena.verbs.ext.VerbsProvider;
import io.verbena.verbs.testkit.VerbsHarness;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.time.Duration;
import java.util.Optional;

/** Two hosts of a stepped fabric. */
final class FabricHarness implements VerbsHarness {
  private static final int STEP_LIMIT = 2_000_000;

  final Fabric fabric;
  final FabricHost active;
  final FabricHost passive;

  FabricHarness(long seed) {
    this(seed, DeviceProfile.full());
  }

  FabricHarness(long seed, DeviceProfile profile) {
    fabric = Fabric.stepped(seed);
    active = fabric.addHost("active", profile, address("10.9.0.1"), address("fd00::1"));
    passive = fabric.addHost("passive", profile, address("10.9.0.2"), address("fd00::2"));
  }

  FabricHarness(Fabric fabric, FabricHost active, FabricHost passive) {
    this.fabric = fabric;
    this.active = active;
    this.passive = passive;
  }

  static InetAddress address(String literal) {
    return InetAddress.ofLiteral(literal);
  }

  @Override
  public VerbsProvider active() {
    return active;
  }

  @Override
  public VerbsProvider passive() {
    return passive;
  }

  @Override
  public InetAddress address() {
    return passive.addresses().getFirst();
  }

  @Override
  public Optional<InetAddress> ipv6Address() {
    return passive.addresses().stream().filter(Inet6Address.class::isInstance).findFirst();
  }

  @Override
  public InetAddress silentAddress() {
    return address("10.9.0.99");
  }

  @Override
  public boolean isReal() {
    return false;
  }

  @Override
  public void await(String what, Condition condition) throws Exception {
    int steps = 0;
    while (!condition.holds()) {
      if (!fabric.step() || ++steps > STEP_LIMIT) {
        throw new AssertionError("no more to come, but not " + what + " in " + this);
      }
    }
  }

  @Override
  public void pass(Duration time) {
    long until = fabric.nanoTime() + time.toNanos();
    while (fabric.nextEventNanos() <= until) {
      fabric.step();
    }
  }

  @Override
  public String toString() {
    return fabric.toString();
  }
}
