package io.verbena.rdma.cm;

import com.ibm.disni.verbs.IbvContext;
import io.verbena.rdma.RdmaCounters;
import io.verbena.rdma.RdmaFailureText;
import io.verbena.rdma.RdmaSettings;
import io.verbena.rdma.device.RdmaDevice;
import io.verbena.rdma.device.Registrations;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The devices of this loop's links, each opened when it is first needed. */
final class LoopDevices {
  private static final Logger LOG = LoggerFactory.getLogger(LoopDevices.class);

  private final RdmaSettings settings;
  private final Registrations memory;
  private final RdmaCounters counters;
  private final Consumer<RdmaDevice> onOpened;
  private final Map<IbvContext, RdmaDevice> byContext = new LinkedHashMap<>();

  /** Abandoned devices that could not be freed completely. */
  private final List<RdmaDevice> unfreed = new ArrayList<>();

  /** All devices that were not abandoned. */
  RdmaDevice[] open = new RdmaDevice[0];

  LoopDevices(
      RdmaSettings settings,
      Registrations memory,
      RdmaCounters counters,
      Consumer<RdmaDevice> onOpened) {
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
    RdmaDevice opened = new RdmaDevice(context, settings, memory, counters);
    byContext.put(context, opened);
    open = byContext.values().toArray(new RdmaDevice[0]);
    onOpened.accept(opened);
    return opened;
  }

  /** Returns whether a device is open. Its removal must be noticed even without a link. */
  boolean someOpen() {
    return open.length > 0;
  }

  /** Reads what devices report outside of the completion queues, and passes it to links. */
  void pollEvents() {
    for (RdmaDevice device : open) {
      if (!device.isLost()) {
        try {
          device.pollEvents();
          device.giveUpIfFailed();
        } catch (IOException e) {
          LOG.debug(
              "The events of the device {} cannot be read: {}", device.name(), e.getMessage());
        }
      }
    }
  }

  /**
   * Makes devices announce completions. Returns false if one cannot, so that more must be polled.
   */
  boolean arm() {
    boolean all = true;
    for (RdmaDevice device : open) {
      try {
        device.arm();
      } catch (Throwable e) {
        device.giveUp(RdmaFailureText.of(e));
        all = false;
      }
    }
    for (RdmaDevice device : unfreed) {
      device.takeAnnounced();
    }
    return all;
  }

  /** Removes a lost device, which has no links any more. */
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

  /** Tries again to free what could not be freed. Called from time to time. */
  void retry() {
    for (RdmaDevice device : open) {
      device.retry();
    }
    unfreed.removeIf(LoopDevices::isFreed);
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
    unfreed.removeIf(LoopDevices::isFreed);
    for (RdmaDevice device : open) {
      forget(device);
    }
  }
}
