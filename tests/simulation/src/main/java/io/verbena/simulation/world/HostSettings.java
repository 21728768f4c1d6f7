package io.verbena.simulation.world;

import io.verbena.core.SessionLimits;
import io.verbena.rdma.RdmaSettings;
import io.verbena.verbs.fabric.DeviceProfile;

/**
 * The settings of one process.
 *
 * @param handlerThreads the number of concurrent handlers
 * @param handlerQueue the number of handlers that may wait
 * @param upgrades the better links of the process
 * @param bulkMemoryBytes the memory for objects
 * @param largeValueBytes the length from which values travel beside their message
 * @param rails whether the process has two adapters
 * @param compressFrom the length from which messages are compressed; 0 for none. With a negative
 *     value only the next process compresses, from the absolute value
 */
public record HostSettings(
    SessionLimits limits,
    int handlerThreads,
    int handlerQueue,
    Upgrades upgrades,
    RdmaSettings rdmaSettings,
    DeviceProfile device,
    long bulkMemoryBytes,
    int largeValueBytes,
    boolean rails,
    int compressFrom) {
  /** The limit is low, so that most objects are spread. */
  static final long RAILS_FROM_BYTES = 128 << 10;

  /** A sufficient number of threads or places. */
  public static final int UNBOUNDED = 1_000;

  /** Returns these settings with another limit of compression. */
  public HostSettings compressing(int from) {
    return new HostSettings(
        limits,
        handlerThreads,
        handlerQueue,
        upgrades,
        rdmaSettings,
        device,
        bulkMemoryBytes,
        largeValueBytes,
        rails,
        from);
  }

  /** Returns these settings with other better links. */
  public HostSettings with(Upgrades others) {
    return new HostSettings(
        limits,
        handlerThreads,
        handlerQueue,
        others,
        rdmaSettings,
        device,
        bulkMemoryBytes,
        largeValueBytes,
        rails,
        compressFrom);
  }

  /** Returns these settings with another device. */
  public HostSettings with(DeviceProfile other) {
    return new HostSettings(
        limits,
        handlerThreads,
        handlerQueue,
        upgrades,
        rdmaSettings,
        other,
        bulkMemoryBytes,
        largeValueBytes,
        rails,
        compressFrom);
  }

  /** Returns the settings of the next process. */
  HostSettings ofNext() {
    return compressing(-compressFrom);
  }

  /** Returns whether handlers may have to wait for others. */
  public boolean isBounded() {
    return handlerThreads < UNBOUNDED;
  }
}
