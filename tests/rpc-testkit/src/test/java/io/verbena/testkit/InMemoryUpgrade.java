package io.verbena.testkit;

import io.verbena.link.LinkDriver;
import io.verbena.link.LinkException;
import io.verbena.link.LinkOptions;
import io.verbena.link.UpgradeDriver;
import io.verbena.link.UpgradeProvider;
import io.verbena.mem.InMemoryNetwork;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Better links that are a second in-memory network, so that changes of path are tested in one
 * thread.
 */
public final class InMemoryUpgrade implements UpgradeProvider {
  private static final String ALONE = "mem";

  private final InMemoryNetwork network;
  private final int maxFrameBytes;
  private final String kind;
  private volatile String outOfReach = "";
  private final AtomicInteger offers = new AtomicInteger();
  private volatile Availability availability = new Availability.Available("mem1");
  private volatile @Nullable String lastOffer;

  /** Upgrades to links of this network. */
  public InMemoryUpgrade(InMemoryNetwork network) {
    this(network, Integer.MAX_VALUE);
  }

  /** Upgrades to links of this network that carry frames of this length at most. */
  public InMemoryUpgrade(InMemoryNetwork network, int maxFrameBytes) {
    this(network, maxFrameBytes, ALONE);
  }

  /** Upgrades to links of this network, as one of several kinds, which its requests name. */
  public InMemoryUpgrade(InMemoryNetwork network, String kind) {
    this(network, Integer.MAX_VALUE, kind);
  }

  private InMemoryUpgrade(InMemoryNetwork network, int maxFrameBytes, String kind) {
    this.network = network;
    this.maxFrameBytes = maxFrameBytes;
    this.kind = kind;
  }

  private LinkOptions fitted(LinkOptions options) {
    return LinkOptions.of(
        Math.min(maxFrameBytes, options.maxFrameBytes()), options.connectTimeout(), options.tls());
  }

  /** Says whether there are better links now. */
  public void availability(Availability availability) {
    this.availability = availability;
  }

  /** Returns where the last offer was, to drop and cut its links; null before the first. */
  public @Nullable URI lastOffer() {
    String offer = lastOffer;
    return offer == null ? null : URI.create(offer);
  }

  @Override
  public String kind() {
    return kind;
  }

  /** Says why no link leads to any peer; empty where they do. */
  public void outOfReach(String why) {
    outOfReach = why;
  }

  @Override
  public String outOfReach(URI peer) {
    return outOfReach;
  }

  @Override
  public boolean understands(byte[] request) {
    return kind.equals(ALONE) || kind.equals(new String(request, StandardCharsets.UTF_8));
  }

  @Override
  public Availability availability() {
    return availability;
  }

  @Override
  public UpgradeDriver newDriver(Runnable wakeLoop) {
    return new Driver(network.newDriver(wakeLoop));
  }

  private final class Driver implements UpgradeDriver {
    private final LinkDriver links;

    Driver(LinkDriver links) {
      this.links = links;
    }

    @Override
    public int poll(long nowNanos) {
      return links.poll();
    }

    @Override
    public boolean isInUse() {
      return false;
    }

    @Override
    public boolean armWakeup(long nowNanos) {
      return true;
    }

    @Override
    public byte[] request(URI peer, LinkOptions options) {
      return kind.equals(ALONE) ? new byte[0] : kind.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public byte[] offer(
        byte[] request, URI localAddress, LinkOptions options, LinkDriver.ConnectHandler handler)
        throws LinkException {
      String address =
          "mem://upgrade-" + (kind.equals(ALONE) ? "" : kind) + offers.incrementAndGet();
      LinkDriver.Listening[] listening = new LinkDriver.Listening[1];
      listening[0] =
          links.listen(
              URI.create(address),
              fitted(options),
              link -> {
                listening[0].close();
                return handler.onConnected(link);
              });
      lastOffer = address;
      return address.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public void connect(byte[] offer, LinkOptions options, LinkDriver.ConnectHandler handler) {
      links.connect(
          URI.create(new String(offer, StandardCharsets.UTF_8)), fitted(options), handler);
    }

    @Override
    public void close(Runnable meanwhile) {
      links.close();
    }
  }
}
