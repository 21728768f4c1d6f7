package io.verbena.rdma;

import io.verbena.core.NanoClock;
import io.verbena.verbs.fabric.DeviceProfile;
import io.verbena.verbs.fabric.Fabric;
import io.verbena.verbs.fabric.FabricHost;
import java.net.InetAddress;
import java.net.UnknownHostException;

/** Two hosts of a stepped fabric, and the clock that the fabric and the links share. */
final class FabricWorld implements NanoClock {
  private static final long TICK_NANOS = 20_000;

  final Fabric fabric;
  final FabricHost east;
  final FabricHost west;
  private long now = 1_000_000_000L;

  FabricWorld(long seed, DeviceProfile profile) {
    fabric = Fabric.stepped(seed, this::nanoTime);
    east = fabric.addHost("east", profile, address("10.9.0.1"), address("fd00::1"));
    west = fabric.addHost("west", profile, address("10.9.0.2"), address("fd00::2"));
  }

  static InetAddress address(String literal) {
    try {
      return InetAddress.getByName(literal);
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException(e);
    }
  }

  @Override
  public long nanoTime() {
    return now;
  }

  /** Runs what is due in the fabric; where nothing is, lets a little time pass. */
  int step() {
    if (fabric.step()) {
      return 1;
    }
    now = Math.max(now, Math.min(fabric.nextEventNanos(), now + TICK_NANOS));
    return 0;
  }

  /** Lets time pass, with all that happens meanwhile. */
  void pass(long nanos) {
    long until = now + nanos;
    while (now < until) {
      if (!fabric.step()) {
        now = Math.min(fabric.nextEventNanos(), until);
      }
    }
  }
}
