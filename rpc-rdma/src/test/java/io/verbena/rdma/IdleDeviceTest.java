package io.verbena.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.link.Link;
import io.verbena.link.LinkDriver;
import io.verbena.link.LinkException;
import io.verbena.link.LinkListener;
import io.verbena.link.UpgradeDriver;
import io.verbena.link.runtime.NanoClock;
import io.verbena.rdma.wire.UpgradeRequest;
import io.verbena.testkit.RecordingListener;
import io.verbena.verbs.fabric.Fabric;
import io.verbena.verbs.fabric.FabricHost;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/**
 * A loop whose links are gone waits for nothing, and still gives up a device that is removed: the
 * kernel waits with the removal until nobody has the device open.
 */
final class IdleDeviceTest {
  private static final Duration LONGEST = Duration.ofSeconds(10);

  private final List<Link> links = new ArrayList<>();
  private final Semaphore woken = new Semaphore(0);

  private final LinkDriver.ConnectHandler handler =
      new LinkDriver.ConnectHandler() {
        @Override
        public LinkListener onConnected(Link link) {
          links.add(link);
          return new RecordingListener();
        }

        @Override
        public void onFailed(LinkException e) {
          throw new AssertionError(e);
        }
      };

  private static UpgradeDriver driver(FabricHost host, Runnable wakeLoop) {
    return new RdmaUpgradeProvider(host, RdmaSettings.DEFAULT, NanoClock.SYSTEM)
        .newDriver(wakeLoop);
  }

  private static void until(BooleanSupplier condition, UpgradeDriver... drivers) {
    long start = System.nanoTime();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime() - start).isLessThan(LONGEST.toNanos());
      for (UpgradeDriver one : drivers) {
        one.poll(System.nanoTime());
      }
    }
  }

  @Test
  void aRemovedDeviceIsGivenUpThoughNoLinkStandsOnIt() throws Exception {
    try (Fabric fabric = Fabric.threaded(1)) {
      FabricHost east = fabric.addHost("east", FabricWorld.address("10.9.0.1"));
      FabricHost west = fabric.addHost("west", FabricWorld.address("10.9.0.2"));
      UpgradeDriver active = driver(east, woken::release);
      UpgradeDriver passive = driver(west, () -> {});
      URI tcp = URI.create("tcp://10.9.0.2:7400");
      byte[] offer = passive.offer(UpgradeRequest.encode(), tcp, PassiveEnd.OPTIONS, handler);
      active.connect(offer, PassiveEnd.OPTIONS, handler);
      until(() -> links.size() == 2, active, passive);
      links.getFirst().close();
      until(() -> !active.isInUse() && !passive.isInUse(), active, passive);
      passive.close();
      assertThat(east.objects()).as("objects of the idle device").isPositive();
      until(() -> active.armWakeup(System.nanoTime()), active);
      east.removeDevice();
      long start = System.nanoTime();
      while (east.objects() > 0) {
        long left = LONGEST.toNanos() - (System.nanoTime() - start);
        assertThat(woken.tryAcquire(left, TimeUnit.NANOSECONDS)).as("woken").isTrue();
        active.poll(System.nanoTime());
        active.armWakeup(System.nanoTime());
      }
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(LONGEST);
      active.close();
    }
  }
}
