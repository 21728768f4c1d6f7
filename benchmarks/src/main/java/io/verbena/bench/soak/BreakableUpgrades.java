package io.verbena.bench.soak;

import io.verbena.bench.verbena.ForwardingUpgrades;
import io.verbena.core.link.Link;
import io.verbena.core.link.LinkDriver.ConnectHandler;
import io.verbena.core.link.LinkException;
import io.verbena.core.link.LinkListener;
import io.verbena.core.link.UpgradeDriver;
import io.verbena.core.link.UpgradeProvider;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Better links that can be broken off, at this end and without a farewell, which their peers learn
 * of as of any failure. Safe for use by any thread.
 */
final class BreakableUpgrades extends ForwardingUpgrades {
  private final List<Breakable> drivers = new CopyOnWriteArrayList<>();
  private final AtomicLong broken = new AtomicLong();

  BreakableUpgrades(UpgradeProvider real) {
    super(real);
  }

  /** Breaks off every link there is, soon. */
  void breakAll() {
    for (Breakable driver : drivers) {
      driver.breaks = true;
      driver.wakeLoop.run();
    }
  }

  /** Returns how many links were broken off. */
  long broken() {
    return broken.get();
  }

  @Override
  public UpgradeDriver newDriver(Runnable wakeLoop) {
    Breakable driver = new Breakable(real.newDriver(wakeLoop), wakeLoop);
    drivers.add(driver);
    return driver;
  }

  private final class Breakable extends Driver {
    private final Runnable wakeLoop;
    private final List<Link> open = new ArrayList<>();
    private volatile boolean breaks;

    Breakable(UpgradeDriver links, Runnable wakeLoop) {
      super(links);
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
      return super.poll(nowNanos);
    }

    @Override
    public boolean armWakeup(long nowNanos) {
      return !breaks && super.armWakeup(nowNanos);
    }

    @Override
    protected ConnectHandler watched(ConnectHandler handler) {
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
      super.close();
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
