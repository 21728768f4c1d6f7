package io.verbena.rdma;

import io.verbena.link.runtime.NanoClock;
import io.verbena.testkit.ManualClock;
import io.verbena.verbs.fabric.DeviceProfile;
import io.verbena.verbs.fabric.Fabric;
import io.verbena.verbs.fabric.FabricHost;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Two hosts of a stepped fabric, and the clock that the fabric and the links share: what tests of
 * links alone step, and {@link RdmaWorld} beneath a client and a server.
 */
final class FabricWorld implements NanoClock {
  private static final long TICK_NANOS = 20_000;

  final Fabric fabric;
  final FabricHost east;
  final FabricHost west;
  private final @Nullable ManualClock shared;

  /** The shared clock's time at the start: it wraps, and a fabric's time never does. */
  private final long sharedStart;

  private long now = 1_000_000_000L;

  FabricWorld(long seed, DeviceProfile profile) {
    this(seed, profile, null);
  }

  /**
   * A world on a clock that others share.
   *
   * @param shared null for a clock of its own
   */
  FabricWorld(long seed, DeviceProfile profile, @Nullable ManualClock shared) {
    this(seed, profile, profile, shared);
  }

  /** The same, whose hosts have different devices. */
  FabricWorld(long seed, DeviceProfile inEast, DeviceProfile inWest, @Nullable ManualClock shared) {
    this.shared = shared;
    sharedStart = shared == null ? 0 : shared.nanoTime();
    fabric = Fabric.stepped(seed, this::nanoTime);
    east = fabric.addHost("east", inEast, address("10.9.0.1"), address("fd00::1"));
    west = fabric.addHost("west", inWest, address("10.9.0.2"), address("fd00::2"));
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
    return shared == null ? now : shared.nanoTime() - sharedStart;
  }

  private void advance(long nanos) {
    if (shared == null) {
      now += nanos;
    } else {
      shared.advance(Duration.ofNanos(nanos));
    }
  }

  /** Runs what is due in the fabric; where nothing is, lets a little time pass. */
  int step() {
    if (fabric.step()) {
      return 1;
    }
    advance(Math.max(0, Math.min(fabric.nextEventNanos() - nanoTime(), TICK_NANOS)));
    return 0;
  }

  /** Runs all that is due in the fabric now. */
  int settle() {
    int events = 0;
    while (fabric.step()) {
      events++;
    }
    return events;
  }

  /** Lets time pass, with all that happens meanwhile. */
  void pass(long nanos) {
    long until = nanoTime() + nanos;
    while (nanoTime() - until < 0) {
      if (!fabric.step()) {
        advance(Math.max(0, Math.min(fabric.nextEventNanos() - nanoTime(), until - nanoTime())));
      }
    }
  }
}
