package io.verbena.core.session;

import io.verbena.link.BulkPort;
import io.verbena.link.Link;
import io.verbena.link.LinkCapabilities;
import io.verbena.link.LinkDriver;
import io.verbena.link.LinkException;
import io.verbena.link.LinkListener;
import io.verbena.link.LinkOptions;
import io.verbena.link.SendResult;
import io.verbena.link.UpgradeDriver;
import io.verbena.link.UpgradeProvider;
import io.verbena.link.memory.Slot;
import io.verbena.link.runtime.NanoClock;
import java.net.URI;
import java.nio.ByteBuffer;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Better links of another provider's that tell of their end only after a time, as those do whose
 * device has to be drained first.
 */
final class DrainingUpgrade implements UpgradeProvider {
  private final UpgradeProvider links;
  private final NanoClock clock;
  private final Duration draining;

  DrainingUpgrade(UpgradeProvider links, NanoClock clock, Duration draining) {
    this.links = links;
    this.clock = clock;
    this.draining = draining;
  }

  @Override
  public String kind() {
    return links.kind();
  }

  @Override
  public Availability availability() {
    return links.availability();
  }

  @Override
  public UpgradeDriver newDriver(Runnable wakeLoop) {
    return new Driver(links.newDriver(wakeLoop));
  }

  private record End(long atNanos, Runnable told) {}

  private final class Driver implements UpgradeDriver {
    private final UpgradeDriver driver;
    private final ArrayDeque<End> ends = new ArrayDeque<>();

    Driver(UpgradeDriver driver) {
      this.driver = driver;
    }

    @Override
    public int poll(long nowNanos) {
      int work = driver.poll(nowNanos);
      while (!ends.isEmpty() && nowNanos - ends.element().atNanos() >= 0) {
        ends.remove().told().run();
        work++;
      }
      return work;
    }

    @Override
    public boolean isInUse() {
      return driver.isInUse();
    }

    @Override
    public boolean armWakeup(long nowNanos) {
      return driver.armWakeup(nowNanos);
    }

    @Override
    public byte[] request(URI peer, LinkOptions options) throws LinkException {
      return driver.request(peer, options);
    }

    @Override
    public byte[] offer(
        byte[] request, URI local, LinkOptions options, LinkDriver.ConnectHandler handler)
        throws LinkException {
      return driver.offer(request, local, options, draining(handler));
    }

    @Override
    public void connect(byte[] offer, LinkOptions options, LinkDriver.ConnectHandler handler) {
      driver.connect(offer, options, draining(handler));
    }

    @Override
    public void close(Runnable meanwhile) {
      driver.close(meanwhile);
      ends.forEach(end -> end.told().run());
      ends.clear();
    }

    private LinkDriver.ConnectHandler draining(LinkDriver.ConnectHandler handler) {
      return new LinkDriver.ConnectHandler() {
        @Override
        public LinkListener onConnected(Link link) {
          Draining made = new Draining(link, ends);
          made.listener = handler.onConnected(made);
          return made;
        }

        @Override
        public void onFailed(LinkException failure) {
          handler.onFailed(failure);
        }
      };
    }
  }

  private final class Draining implements Link, LinkListener {
    private final Link link;
    private final ArrayDeque<End> ends;
    private @Nullable LinkListener listener;
    private boolean over;

    Draining(Link link, ArrayDeque<End> ends) {
      this.link = link;
      this.ends = ends;
    }

    @Override
    public void listener(LinkListener next) {
      listener = next;
    }

    @Override
    public LinkCapabilities capabilities() {
      return link.capabilities();
    }

    @Override
    public String localAddress() {
      return link.localAddress();
    }

    @Override
    public String peerAddress() {
      return link.peerAddress();
    }

    @Override
    public List<X509Certificate> peerCertificates() {
      return link.peerCertificates();
    }

    @Override
    public SendResult send(Slot slot) {
      return link.send(slot);
    }

    @Override
    public void flush() {
      link.flush();
    }

    @Override
    public void setReceiving(boolean receiving) {
      link.setReceiving(receiving);
    }

    @Override
    public @Nullable BulkPort bulk() {
      return link.bulk();
    }

    @Override
    public void close() {
      link.close();
    }

    @Override
    public void abort(String reason) {
      link.abort(reason);
    }

    @Override
    public void onFrame(ByteBuffer buffer, int from, int to) {
      if (listener != null) {
        listener.onFrame(buffer, from, to);
      }
    }

    @Override
    public void onWritable() {
      if (listener != null) {
        listener.onWritable();
      }
    }

    @Override
    public void onClosed(String reason) {
      if (!over) {
        over = true;
        ends.add(new End(clock.nanoTime() + draining.toNanos(), () -> tell(reason)));
      }
    }

    private void tell(String reason) {
      if (listener != null) {
        listener.onClosed(reason);
      }
    }
  }
}
