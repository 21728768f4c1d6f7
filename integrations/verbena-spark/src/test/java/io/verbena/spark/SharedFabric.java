package io.verbena.spark;

import io.verbena.verbs.fabric.Fabric;
import io.verbena.verbs.fabric.FabricHost;
import java.net.InetAddress;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The one network in memory of a process that has several executors, each with class loaders of its
 * own; {@link ExecutorsOfOneProcess} has it loaded once.
 */
public final class SharedFabric {
  private static final AtomicInteger HOSTS = new AtomicInteger();
  private static volatile @Nullable Fabric fabric;

  private SharedFabric() {}

  static void start() {
    fabric = Fabric.threaded(51);
  }

  /** Adds a host; returns null in a process that has no network. */
  public static @Nullable FabricHost addHost() {
    Fabric started = fabric;
    if (started == null) {
      return null;
    }
    int number = HOSTS.incrementAndGet();
    return started.addHost("executor" + number, InetAddress.ofLiteral("10.9.0." + number));
  }
}
