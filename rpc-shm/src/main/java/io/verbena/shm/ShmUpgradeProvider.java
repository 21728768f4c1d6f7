package io.verbena.shm;

import io.verbena.link.LocalSockets;
import io.verbena.link.UpgradeDriver;
import io.verbena.link.UpgradeProvider;
import io.verbena.link.runtime.NanoClock;
import io.verbena.link.runtime.ThrottledLog;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Shared-memory links between processes of one host and user. All drivers of one instance share its
 * counters. Safe for use by any thread.
 */
public final class ShmUpgradeProvider implements UpgradeProvider {
  private static final ThrottledLog SETTINGS =
      ThrottledLog.of(ShmUpgradeProvider.class, "settings of shared-memory links out of range");

  /** Higher than RDMA's, which would use the adapter. */
  private static final int PRIORITY = 10;

  private final LinkFiles place;
  private final ShmSettings settings;
  private final NanoClock clock;
  private final Waiter.Maker waiters;
  private final HostAddresses addresses;
  private final ShmCounters counters = new ShmCounters();

  /**
   * Makes a provider with {@link ShmSettings#ofProperties()}. {@link java.util.ServiceLoader} calls
   * this.
   *
   * @throws IllegalArgumentException if a property is out of range
   */
  public ShmUpgradeProvider() {
    this(settingsOfProperties());
  }

  /** Makes a provider whose files are in {@code /dev/shm}. */
  public ShmUpgradeProvider(ShmSettings settings) {
    this(LinkFiles.SHM, settings, NanoClock.SYSTEM);
  }

  /** Makes a provider whose files are in this directory. */
  ShmUpgradeProvider(Path base, ShmSettings settings, NanoClock clock) {
    this(base, settings, clock, WaiterThread::new);
  }

  /**
   * Makes a provider for simulations, with a directory and a clock of the caller's.
   *
   * @param base the directory for files, in a file system in memory
   * @param clock the only clock that the links use
   * @param waiters wait at the sockets of drivers; the default is a thread for each driver
   */
  public ShmUpgradeProvider(
      Path base, ShmSettings settings, NanoClock clock, Waiter.Maker waiters) {
    this.place = new LinkFiles(base);
    this.settings = settings;
    this.clock = clock;
    this.waiters = waiters;
    this.addresses = new HostAddresses(clock);
  }

  private static ShmSettings settingsOfProperties() {
    try {
      return ShmSettings.ofProperties();
    } catch (IllegalArgumentException e) {
      SETTINGS.warn("Shared-memory links are not available: {}", e.getMessage());
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
    return addresses.outOfReach(peer);
  }

  @Override
  public boolean understands(byte[] request) {
    return ShmOffer.isOfThisKind(request);
  }

  @Override
  public Availability availability() {
    return place.availability();
  }

  @Override
  public UpgradeDriver newDriver(Runnable wakeLoop) {
    return newDriver(wakeLoop, null);
  }

  @Override
  public UpgradeDriver newDriver(Runnable wakeLoop, @Nullable LocalSockets sockets) {
    try {
      LocalSockets watched = sockets == null ? new WaitedSockets(waiters, wakeLoop) : sockets;
      return new ShmDriver(place, settings, clock, addresses, counters, watched);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public Map<String, Long> figures() {
    return counters.figures();
  }
}
