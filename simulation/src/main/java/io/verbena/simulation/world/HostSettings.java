package io.verbena.simulation.world;

import io.verbena.core.SessionLimits;
import io.verbena.rdma.RdmaSettings;
import io.verbena.verbs.fabric.DeviceProfile;

/**
 * How one process is set up.
 *
 * @param handlerThreads how many handlers run at a time
 * @param handlerQueue how many more wait
 * @param upgrades which better links it has
 * @param bulkMemoryBytes for objects
 * @param partCutOff from which length values travel beside their message
 * @param rails whether it has two adapters
 * @param compressFrom from which length on messages are compressed; 0: none is; negative: none is,
 *     but by the process that follows
 */
public record HostSettings(
    SessionLimits limits,
    int handlerThreads,
    int handlerQueue,
    Upgrades upgrades,
    RdmaSettings rdmaSettings,
    DeviceProfile device,
    long bulkMemoryBytes,
    int partCutOff,
    boolean rails,
    int compressFrom) {
  /** Little, so that most objects are spread. */
  static final long RAILS_FROM_BYTES = 128 << 10;

  /** As many threads or places as anybody needs. */
  public static final int UNBOUNDED = 1_000;

  /** Returns the same with other messages compressed. */
  public HostSettings compressing(int from) {
    return new HostSettings(
        limits,
        handlerThreads,
        handlerQueue,
        upgrades,
        rdmaSettings,
        device,
        bulkMemoryBytes,
        partCutOff,
        rails,
        from);
  }

  /** Returns the same with other better links. */
  public HostSettings with(Upgrades others) {
    return new HostSettings(
        limits,
        handlerThreads,
        handlerQueue,
        others,
        rdmaSettings,
        device,
        bulkMemoryBytes,
        partCutOff,
        rails,
        compressFrom);
  }

  /** Returns how the process is set up that follows. */
  HostSettings ofNext() {
    return compressing(-compressFrom);
  }

  /** Returns whether handlers may have to wait for one another. */
  public boolean isBounded() {
    return handlerThreads < UNBOUNDED;
  }
}
