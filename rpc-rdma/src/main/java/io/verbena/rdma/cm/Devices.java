package io.verbena.rdma.cm;

import com.ibm.disni.verbs.IbvContext;
import io.verbena.rdma.Numa;
import io.verbena.rdma.RdmaCounters;
import io.verbena.rdma.RdmaSettings;
import io.verbena.rdma.Words;
import io.verbena.rdma.device.RdmaDevice;
import io.verbena.rdma.device.Registrations;
import io.verbena.verbs.ext.VerbsContext;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The devices that this loop's links stand on, opened when first needed. */
final class Devices {
  private static final Logger LOG = LoggerFactory.getLogger(Devices.class);

  private final Numa numa;
  private final RdmaSettings settings;
  private final Registrations memory;
  private final RdmaCounters counters;
  private final Consumer<RdmaDevice> onOpened;
  private final Map<IbvContext, RdmaDevice> byContext = new LinkedHashMap<>();

  /** Those that were given up, and keep what stands on them. */
  private final List<RdmaDevice> unfreed = new ArrayList<>();

  /** All that are not given up. */
  RdmaDevice[] open = new RdmaDevice[0];

  Devices(
      Numa numa,
      RdmaSettings settings,
      Registrations memory,
      RdmaCounters counters,
      Consumer<RdmaDevice> onOpened) {
    this.numa = numa;
    this.settings = settings;
    this.memory = memory;
    this.counters = counters;
    this.onOpened = onOpened;
  }

  RdmaDevice of(IbvContext context) throws IOException {
    RdmaDevice known = byContext.get(context);
    if (known != null) {
      return known;
    }
    // First of all: memory is where the thread runs that touches it first.
    Numa.Place place = numa.bind(VerbsContext.of(context).deviceName());
    RdmaDevice opened = new RdmaDevice(context, place, settings, memory, counters);
    byContext.put(context, opened);
    open = byContext.values().toArray(new RdmaDevice[0]);
    onOpened.accept(opened);
    return opened;
  }

  /** Returns whether one is open, whose removal is to be noticed though no link stands on it. */
  boolean someOpen() {
    return open.length > 0;
  }

  /** Tells links what their devices say of them outside the completion queues. */
  void pollEvents() {
    for (RdmaDevice device : open) {
      if (!device.isLost()) {
        try {
          device.pollEvents();
        } catch (IOException e) {
          LOG.debug("The device {} says nothing: {}", device.name(), e.getMessage());
        }
      }
    }
  }

  /** Has devices announce what completes; returns whether all do, else there is more to poll. */
  boolean arm() {
    boolean all = true;
    for (RdmaDevice device : open) {
      try {
        device.arm();
      } catch (Throwable e) {
        device.giveUp(Words.of(e));
        all = false;
      }
    }
    for (RdmaDevice device : unfreed) {
      device.takeAnnounced();
    }
    return all;
  }

  /** A device that is lost has no links any more. */
  void forget(RdmaDevice device) {
    byContext.values().remove(device);
    open = byContext.values().toArray(new RdmaDevice[0]);
    try {
      device.close();
    } catch (IOException e) {
      LOG.warn("Not all of the device {} can be freed: {}", device.name(), e.getMessage());
      if (!device.isRemoved()) {
        unfreed.add(device);
      }
    }
  }

  /** Tries again to free what could not be freed. Due now and then. */
  void retry() {
    for (RdmaDevice device : open) {
      device.retry();
    }
    unfreed.removeIf(Devices::isFreed);
  }

  private static boolean isFreed(RdmaDevice device) {
    try {
      device.close();
      return true;
    } catch (IOException e) {
      LOG.debug("Still not all of the device {} can be freed", device.name(), e);
      return device.isRemoved();
    }
  }

  void close() {
    unfreed.removeIf(Devices::isFreed);
    for (RdmaDevice device : open) {
      forget(device);
    }
  }
}
