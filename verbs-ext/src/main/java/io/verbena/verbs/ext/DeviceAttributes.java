package io.verbena.verbs.ext;

/**
 * What a device is and can do ({@code struct ibv_device_attr} and its transport).
 *
 * @param vendor of the device, as the IEEE numbers them
 * @param capabilityFlags {@code device_cap_flags}; see the methods for the ones that matter here
 * @param maxReadAtomic READs and atomics that a QP can have outstanding as their target
 * @param maxInitiatorReadAtomic the same as their initiator
 */
public record DeviceAttributes(
    String name,
    String firmware,
    Transport transport,
    int vendor,
    int capabilityFlags,
    AtomicCapability atomics,
    long maxMrLength,
    int maxQps,
    int maxQpRequests,
    int maxSges,
    int maxCqs,
    int maxCqEntries,
    int maxMrs,
    int maxPds,
    int maxMemoryWindows,
    int maxSrqs,
    int maxSrqRequests,
    int maxSrqSges,
    int maxReadAtomic,
    int maxInitiatorReadAtomic,
    int ports) {

  /** What rdma_rxe calls itself, having no number. */
  public static final int RXE_VENDOR = 0xffffff;

  private static final int MEM_WINDOW_TYPE_2A = 1 << 23;
  private static final int MEM_WINDOW_TYPE_2B = 1 << 24;

  /** Which kind of network carries the verbs. */
  public enum Transport {
    INFINIBAND,
    IWARP,
    OTHER
  }

  /** How far atomics reach, in the order of {@code enum ibv_atomic_cap}. */
  public enum AtomicCapability {
    NONE,
    /** Atomic among the queue pairs of this device, not against the CPU. */
    DEVICE,
    /** Atomic against the CPU, too. */
    GLOBAL;

    private static final AtomicCapability[] BY_VALUE = values();

    /** The capability with that value; an unknown one counts as none. */
    public static AtomicCapability of(int value) {
      return value < 0 || value >= BY_VALUE.length ? NONE : BY_VALUE[value];
    }
  }

  /** Flags for {@link #capabilityFlags()} of a device with type 2B windows. */
  public static int withTypeTwoWindows() {
    return MEM_WINDOW_TYPE_2B;
  }

  /** Whether type 2 windows, which a Send or a local request invalidates, can be had. */
  public boolean hasTypeTwoWindows() {
    return maxMemoryWindows > 0
        && (capabilityFlags & (MEM_WINDOW_TYPE_2A | MEM_WINDOW_TYPE_2B)) != 0;
  }

  /**
   * Whether the device checks a window's own bounds. rdma_rxe checks those of the region that the
   * window is bound to (Linux 6.1 and others).
   */
  public boolean hasWindowBounds() {
    return hasTypeTwoWindows() && vendor != RXE_VENDOR;
  }

  public boolean hasSrq() {
    return maxSrqs > 0;
  }

  /** iWARP has no WRITE with immediate; everything else has. */
  public boolean hasWriteWithImmediate() {
    return transport != Transport.IWARP;
  }
}
