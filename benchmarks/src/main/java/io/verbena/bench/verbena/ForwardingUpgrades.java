package io.verbena.bench.verbena;

import io.verbena.link.LinkDriver.ConnectHandler;
import io.verbena.link.LinkException;
import io.verbena.link.LinkOptions;
import io.verbena.link.UpgradeDriver;
import io.verbena.link.UpgradeProvider;
import java.net.URI;
import java.util.Map;

/** Links that sessions upgrade to, of which whoever extends it hears first. */
public abstract class ForwardingUpgrades implements UpgradeProvider {
  /** What makes the links. */
  protected final UpgradeProvider real;

  /** Forwards to another provider. */
  protected ForwardingUpgrades(UpgradeProvider real) {
    this.real = real;
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

  /** The links of one loop. */
  protected abstract static class Driver implements UpgradeDriver {
    private final UpgradeDriver links;

    /** Forwards to another driver. */
    protected Driver(UpgradeDriver links) {
      this.links = links;
    }

    /** Returns who hears of a link instead of the one who asked for it. */
    protected abstract ConnectHandler watched(ConnectHandler handler);

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
      return links.offer(request, localAddress, options, watched(handler));
    }

    @Override
    public void connect(byte[] offer, LinkOptions options, ConnectHandler handler) {
      links.connect(offer, options, watched(handler));
    }

    @Override
    public void close() {
      links.close();
    }
  }
}
