package io.verbena.rdma.wire;

import io.verbena.verbs.ext.DeviceAttributes;

/** The abilities of a device. The ends exchange them, and use the ones that both have. */
public final class Features {
  /** WRITE with immediate. */
  public static final int WRITE_WITH_IMMEDIATE = 1;

  /** Type 2 memory windows. */
  public static final int MEMORY_WINDOWS = 1 << 1;

  /** Shared receive queues. */
  public static final int SHARED_RECEIVES = 1 << 2;

  private Features() {}

  public static int of(DeviceAttributes device) {
    return (device.hasWriteWithImmediate() ? WRITE_WITH_IMMEDIATE : 0)
        | (device.hasTypeTwoWindows() ? MEMORY_WINDOWS : 0)
        | (device.hasSrq() ? SHARED_RECEIVES : 0);
  }
}
