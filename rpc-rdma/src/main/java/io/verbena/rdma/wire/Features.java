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

  /**
   * Not even one READ at a time. Set where a device has none, so that its lack means that it has.
   */
  public static final int NO_READS = 1 << 3;

  /** librdmacm keeps the depth of READs in 8 bits (rdma-core 691953d8d, librdmacm/cma.c). */
  private static final int DEPTH = 0xff;

  private Features() {}

  public static int of(DeviceAttributes device) {
    return (device.hasWriteWithImmediate() ? WRITE_WITH_IMMEDIATE : 0)
        | (device.hasTypeTwoWindows() ? MEMORY_WINDOWS : 0)
        | (device.hasSrq() ? SHARED_RECEIVES : 0)
        | (hasReads(device) ? 0 : NO_READS);
  }

  private static boolean hasReads(DeviceAttributes device) {
    return (device.maxReadAtomic() & DEPTH) > 0 && (device.maxInitiatorReadAtomic() & DEPTH) > 0;
  }
}
