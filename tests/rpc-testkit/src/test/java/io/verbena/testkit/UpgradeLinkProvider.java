package io.verbena.testkit;

import io.verbena.link.Link;
import io.verbena.link.LinkDriver;
import io.verbena.link.LinkException;
import io.verbena.link.LinkListener;
import io.verbena.link.LinkOptions;
import io.verbena.link.LinkProvider;
import io.verbena.link.UpgradeDriver;
import io.verbena.link.runtime.NanoClock;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Lets links that sessions upgrade to be opened by an address, as the link contract opens them:
 * requests and offers are exchanged in memory, where a session exchanges them over its first link.
 * An address at which no driver listens here is connected to with a token of nobody's.
 */
public final class UpgradeLinkProvider implements LinkProvider {
  private static final URI ON_THIS_HOST = URI.create("tcp://127.0.0.1:1");

  private final Offers offers;
  private final Function<Runnable, UpgradeDriver> newUpgradeDriver;
  private final Runnable step;
  private final NanoClock clock;
  private final Map<URI, OpenListening> listenings = new ConcurrentHashMap<>();

  /** The contents of offers of one kind of link. */
  public interface Offers {
    /** Returns the scheme of addresses. */
    String scheme();

    /** Returns the address that an offer leads to. */
    URI address(byte[] offer) throws LinkException;

    /** Returns an offer that leads to an address, with a token that was never given out. */
    byte[] strangers(URI address) throws LinkException;
  }

  /**
   * Links between hosts.
   *
   * @param newUpgradeDriver makes the next driver, on whichever host, from what wakes its loop
   * @param step runs before each poll, for a fabric that is stepped
   */
  public UpgradeLinkProvider(
      Offers offers,
      Function<Runnable, UpgradeDriver> newUpgradeDriver,
      Runnable step,
      NanoClock clock) {
    this.offers = offers;
    this.newUpgradeDriver = newUpgradeDriver;
    this.step = step;
    this.clock = clock;
  }

  @Override
  public String scheme() {
    return offers.scheme();
  }

  @Override
  public LinkDriver newDriver(Runnable wakeLoop) {
    return new Driver(newUpgradeDriver.apply(wakeLoop), wakeLoop);
  }

  private final class Driver implements LinkDriver {
    private final UpgradeDriver links;
    private final Runnable wakeLoop;
    private final ConcurrentLinkedQueue<Runnable> mail = new ConcurrentLinkedQueue<>();
    private volatile boolean woken;
    private volatile @Nullable Thread parked;

    Driver(UpgradeDriver links, Runnable wakeLoop) {
      this.links = links;
      this.wakeLoop = wakeLoop;
    }

    @Override
    public int poll() {
      step.run();
      int work = 0;
      Runnable letter;
      while ((letter = mail.poll()) != null) {
        letter.run();
        work++;
      }
      return work + links.poll(clock.nanoTime());
    }

    @Override
    public int await(long nanos) {
      parked = Thread.currentThread();
      if (!woken && mail.isEmpty() && links.armWakeup(clock.nanoTime())) {
        long deadline = System.nanoTime() + nanos;
        while (!woken && mail.isEmpty() && System.nanoTime() - deadline < 0) {
          LockSupport.parkNanos(this, deadline - System.nanoTime());
        }
      }
      parked = null;
      woken = false;
      return 0;
    }

    @Override
    public void wakeup() {
      woken = true;
      LockSupport.unpark(parked);
    }

    private void post(Runnable letter) {
      mail.add(letter);
      wakeLoop.run();
    }

    @Override
    public void connect(URI address, LinkOptions options, ConnectHandler handler) {
      OpenListening listening = listenings.get(address);
      if (listening == null) {
        connectAsStranger(address, options, handler);
        return;
      }
      byte[] request;
      try {
        request = links.request(ON_THIS_HOST, options);
      } catch (LinkException e) {
        post(() -> handler.onFailed(e));
        return;
      }
      listening.driver.post(
          () -> {
            try {
              byte[] offer = listening.offer(request);
              post(() -> links.connect(offer, options, handler));
            } catch (LinkException e) {
              post(() -> handler.onFailed(e));
            }
          });
    }

    private void connectAsStranger(URI address, LinkOptions options, ConnectHandler handler) {
      try {
        requireScheme(address);
        links.connect(offers.strangers(address), options, handler);
      } catch (LinkException e) {
        post(() -> handler.onFailed(e));
      }
    }

    private void requireScheme(URI address) throws LinkException {
      if (!scheme().equals(address.getScheme())) {
        throw new LinkException(address + " is no " + scheme() + " address", null);
      }
    }

    @Override
    public LinkDriver.Listening listen(URI address, LinkOptions options, AcceptHandler handler)
        throws LinkException {
      requireScheme(address);
      OpenListening listening = new OpenListening(this, options, handler, addressOfDriver());
      if (listenings.putIfAbsent(listening.address, listening) != null) {
        throw new LinkException(
            listening.address.getAuthority() + " is taken; choose another address", null);
      }
      return listening;
    }

    /** Makes an offer that nobody uses, and reads from it where the driver listens. */
    private URI addressOfDriver() throws LinkException {
      LinkOptions brief = LinkOptions.of(1000, Duration.ofMillis(1), null);
      byte[] request = links.request(ON_THIS_HOST, brief);
      return offers.address(links.offer(request, ON_THIS_HOST, brief, new Ignored()));
    }

    @Override
    public void close() {
      links.close();
    }
  }

  private final class OpenListening implements LinkDriver.Listening {
    private final Driver driver;
    private final LinkOptions options;
    private final LinkDriver.AcceptHandler handler;
    private final URI address;

    OpenListening(
        Driver driver, LinkOptions options, LinkDriver.AcceptHandler handler, URI address) {
      this.driver = driver;
      this.options = options;
      this.handler = handler;
      this.address = address;
    }

    byte[] offer(byte[] request) throws LinkException {
      return driver.links.offer(
          request,
          address,
          options,
          new Ignored() {
            @Override
            public LinkListener onConnected(Link link) {
              return handler.onAccepted(link);
            }
          });
    }

    @Override
    public URI address() {
      return address;
    }

    @Override
    public void close() {
      listenings.remove(address, this);
    }
  }

  /** Hears of offers that nobody takes. */
  private static class Ignored implements LinkDriver.ConnectHandler {
    @Override
    public LinkListener onConnected(Link link) {
      throw new AssertionError("nobody knows of this offer");
    }

    @Override
    public void onFailed(LinkException failure) {}
  }
}
