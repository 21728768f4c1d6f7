package io.verbena.shm;

import io.verbena.link.UpgradeDriver;
import io.verbena.link.UpgradeProvider;
import io.verbena.link.runtime.NanoClock;
import io.verbena.link.runtime.ThrottledLog;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.Map;

/**
 * Shared-memory links between processes of one host and user. All drivers made by one instance
 * share its counters. Safe for use by any thread.
 */
public final class ShmUpgradeProvider implements UpgradeProvider {
  private static final ThrottledLog SETTINGS =
      ThrottledLog.of(ShmUpgradeProvider.class, "settings of shared-memory links out of range");

  /** Above RDMA's, which would go by the adapter. */
  private static final int PRIORITY = 10;

  private final Place place;
  private final ShmSettings settings;
  private final NanoClock clock;
  private final Waiter.Maker waiters;
  private final HostAddresses addresses;
  private final ShmCounters counters = new ShmCounters();

  /**
   * For {@link java.util.ServiceLoader}: with {@link ShmSettings#ofProperties()}.
   *
   * @throws IllegalArgumentException if a property is out of range
   */
  public ShmUpgradeProvider() {
    this(settingsOfProperties());
  }

  /** Links in {@code /dev/shm}. */
  public ShmUpgradeProvider(ShmSettings settings) {
    this(Place.SHM, settings, NanoClock.SYSTEM);
  }

  /** Links in a certain directory. */
  ShmUpgradeProvider(Path base, ShmSettings settings, NanoClock clock) {
    this(base, settings, clock, WaiterThread::new);
  }

  /**
   * Links in a certain directory, and in a time of the caller's: for simulations.
   *
   * @param base where to have files; of a file system in memory
   * @param clock the only clock that the links look at
   * @param waiters wait at the sockets of drivers; the product has a thread for each
   */
  public ShmUpgradeProvider(
      Path base, ShmSettings settings, NanoClock clock, Waiter.Maker waiters) {
    this.place = new Place(base);
    this.settings = settings;
    this.clock = clock;
    this.waiters = waiters;
    this.addresses = new HostAddresses(clock);
  }

  private static ShmSettings settingsOfProperties() {
    try {
      return ShmSettings.ofProperties();
    } catch (IllegalArgumentException e) {
      SETTINGS.warn("There are no shared-memory links: {}", e.getMessage());
      throw e;
    }
  }

  @Override
  public String kind() {
    return ShmLink.KIND;
  }

  @Override
  public int priority() {
    return PRIORITY;
  }

  @Override
  public String outOfReach(URI peer) {
    return addresses.isHere(peer) ? "" : HostAddresses.ELSEWHERE;
  }

  @Override
  public boolean understands(byte[] request) {
    return Offer.isOfThisKind(request);
  }

  @Override
  public Availability availability() {
    return place.availability();
  }

  @Override
  public UpgradeDriver newDriver(Runnable wakeLoop) {
    try {
      return new ShmDriver(place, settings, clock, addresses, counters, waiters, wakeLoop);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public Map<String, Long> figures() {
    return counters.figures();
  }
}
