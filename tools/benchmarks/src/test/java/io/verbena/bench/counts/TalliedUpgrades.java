package io.verbena.bench.counts;

import io.verbena.link.LinkDriver.ConnectHandler;
import io.verbena.link.LinkException;
import io.verbena.link.LinkOptions;
import io.verbena.link.UpgradeDriver;
import io.verbena.link.UpgradeProvider;
import java.net.URI;
import java.util.Map;

/** Links that sessions upgrade to, counted, of one end. */
final class TalliedUpgrades implements UpgradeProvider {
  private final UpgradeProvider real;
  private final LinkTally tally;

  TalliedUpgrades(UpgradeProvider real, LinkTally tally) {
    this.real = real;
    this.tally = tally;
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
    return new Driver(real.newDriver(wakeLoop));
  }

  /** The links of one loop. */
  private final class Driver implements UpgradeDriver {
    private final UpgradeDriver links;

    Driver(UpgradeDriver links) {
      this.links = links;
    }

    @Override
    public int poll(long nowNanos) {
      return links.poll(nowNanos);
    }

    @Override
    public boolean isInUse() {
      return links.isInUse();
    }

    @Override
    public boolean armWakeup(long nowNanos) {
      return links.armWakeup(nowNanos);
    }

    @Override
    public byte[] request(URI peer, LinkOptions options) throws LinkException {
      return links.request(peer, options);
    }

    @Override
    public byte[] offer(
        byte[] request, URI localAddress, LinkOptions options, ConnectHandler handler)
        throws LinkException {
      return links.offer(request, localAddress, options, TalliedLink.tallied(handler, tally));
    }

    @Override
    public void connect(byte[] offer, LinkOptions options, ConnectHandler handler) {
      links.connect(offer, options, TalliedLink.tallied(handler, tally));
    }

    @Override
    public void close(Runnable meanwhile) {
      links.close(meanwhile);
    }
  }
}
