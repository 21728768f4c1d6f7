package io.verbena.bench.soak;

import io.verbena.core.link.Link;
import io.verbena.core.link.LinkDriver.ConnectHandler;
import io.verbena.core.link.LinkException;
import io.verbena.core.link.LinkListener;
import io.verbena.core.link.LinkOptions;
import io.verbena.core.link.UpgradeDriver;
import io.verbena.core.link.UpgradeProvider;
import java.net.URI;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Better links that can be broken off, at this end and without a farewell, which their peers learn
 * of as of any failure. Safe for use by any thread.
 */
final class BreakableUpgrades implements UpgradeProvider {
  private final UpgradeProvider real;
  private final List<Driver> drivers = new CopyOnWriteArrayList<>();
  private final AtomicLong broken = new AtomicLong();

  BreakableUpgrades(UpgradeProvider real) {
    this.real = real;
  }

  /** Breaks off every link there is, soon. */
  void breakAll() {
    for (Driver driver : drivers) {
      driver.breaks = true;
      driver.wakeLoop.run();
    }
  }

  /** Returns how many links were broken off. */
  long broken() {
    return broken.get();
  }

  @Override
  public String kind() {
    return real.kind();
  }

  @Override
  public Availability availability() {
    return real.availability();
  }

  @Override
  public Map<String, Long> figures() {
    return real.figures();
  }

  @Override
  public UpgradeDriver newDriver(Runnable wakeLoop) {
    Driver driver = new Driver(real.newDriver(wakeLoop), wakeLoop);
    drivers.add(driver);
    return driver;
  }

  private final class Driver implements UpgradeDriver {
    private final UpgradeDriver links;
    private final Runnable wakeLoop;
    private final List<Link> open = new ArrayList<>();
    private volatile boolean breaks;

    Driver(UpgradeDriver links, Runnable wakeLoop) {
      this.links = links;
      this.wakeLoop = wakeLoop;
    }

    @Override
    public int poll(long nowNanos) {
      if (breaks) {
        breaks = false;
        for (Link link : List.copyOf(open)) {
          broken.incrementAndGet();
          link.abort("broken off by the soak");
        }
      }
      return links.poll(nowNanos);
    }

    @Override
    public boolean isInUse() {
      return links.isInUse();
    }

    @Override
    public boolean armWakeup(long nowNanos) {
      return !breaks && links.armWakeup(nowNanos);
    }

    @Override
    public byte[] request(URI peer, LinkOptions options) throws LinkException {
      return links.request(peer, options);
    }

    @Override
    public byte[] offer(
        byte[] request, URI localAddress, LinkOptions options, ConnectHandler handler)
        throws LinkException {
      return links.offer(request, localAddress, options, watched(handler));
    }

    @Override
    public void connect(byte[] offer, LinkOptions options, ConnectHandler handler) {
      links.connect(offer, options, watched(handler));
    }

    private ConnectHandler watched(ConnectHandler handler) {
      return new ConnectHandler() {
        @Override
        public LinkListener onConnected(Link link) {
          open.add(link);
          return new Watched(handler.onConnected(link), link, open);
        }

        @Override
        public void onFailed(LinkException failure) {
          handler.onFailed(failure);
        }
      };
    }

    @Override
    public void close() {
      drivers.remove(this);
      links.close();
    }
  }

  /** Forgets a link when it is gone. */
  private record Watched(LinkListener real, Link link, List<Link> open) implements LinkListener {
    @Override
    public void onFrame(ByteBuffer buffer, int from, int to) {
      real.onFrame(buffer, from, to);
    }

    @Override
    public void onBulkMoved() {
      real.onBulkMoved();
    }

    @Override
    public void onWritable() {
      real.onWritable();
    }

    @Override
    public void onClosed(String reason) {
      for (Iterator<Link> all = open.iterator(); all.hasNext(); ) {
        if (all.next() == link) {
          all.remove();
        }
      }
      real.onClosed(reason);
    }
  }
}
