package io.verbena.simulation.world;

import io.verbena.core.SessionLimits;
import io.verbena.rdma.RdmaSettings;
import io.verbena.verbs.fabric.DeviceProfile;

/**
 * How one process is set up.
 *
 * @param handlerThreads how many handlers run at a time
 * @param handlerQueue how many more wait
 * @param rdma whether it has RDMA links
 * @param bulkMemoryBytes for objects
 * @param partCutOff from which length values travel beside their message
 * @param rails whether it has two adapters
 */
public record HostSettings(
    SessionLimits limits,
    int handlerThreads,
    int handlerQueue,
    boolean rdma,
    RdmaSettings rdmaSettings,
    DeviceProfile device,
    long bulkMemoryBytes,
    int partCutOff,
    boolean rails) {
  /** Little, so that most objects are spread. */
  static final long RAILS_FROM_BYTES = 128 << 10;

  /** As many threads or places as anybody needs. */
  public static final int UNBOUNDED = 1_000;

  /** Returns whether handlers may have to wait for one another. */
  public boolean isBounded() {
    return handlerThreads < UNBOUNDED;
  }
}
