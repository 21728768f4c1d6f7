package io.verbena.verbs.ext;

/**
 * The identity and abilities of a device ({@code struct ibv_device_attr} and its transport).
 *
 * @param vendor of the device, as the IEEE numbers them
 * @param capabilityFlags {@code device_cap_flags}; see the methods for the ones that matter here
 * @param maxReadAtomic the outstanding READs and atomics of which a QP can be the target
 * @param maxInitiatorReadAtomic the outstanding READs and atomics of which a QP can be the
 *     initiator
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

  /** The vendor id that rdma_rxe reports, because it has none. */
  public static final int RXE_VENDOR = 0xffffff;

  /** Intel: irdma. */
  public static final int INTEL_VENDOR = 0x8086;

  /** Alibaba: erdma. */
  public static final int ALIBABA_VENDOR = 0x1ded;

  private static final int MEM_WINDOW_TYPE_2A = 1 << 23;
  private static final int MEM_WINDOW_TYPE_2B = 1 << 24;

  /** The kind of network that carries the verbs. */
  public enum Transport {
    INFINIBAND,
    IWARP,
    OTHER
  }

  /** The reach of atomics, in the order of {@code enum ibv_atomic_cap}. */
  public enum AtomicCapability {
    NONE,
    /** Atomic among the queue pairs of this device, but not against the CPU. */
    DEVICE,
    /** Atomic against the CPU, too. */
    GLOBAL;

    private static final AtomicCapability[] BY_VALUE = values();

    /** Returns the capability with this value; NONE for an unknown one. */
    public static AtomicCapability of(int value) {
      return value < 0 || value >= BY_VALUE.length ? NONE : BY_VALUE[value];
    }
  }

  /** Returns flags for {@link #capabilityFlags()} of a device with type 2B windows. */
  public static int withTypeTwoWindows() {
    return MEM_WINDOW_TYPE_2B;
  }

  /**
   * Returns whether the device has type 2 windows, which a Send or a local request can invalidate.
   */
  public boolean hasTypeTwoWindows() {
    return maxMemoryWindows > 0
        && (capabilityFlags & (MEM_WINDOW_TYPE_2A | MEM_WINDOW_TYPE_2B)) != 0;
  }

  /**
   * Returns whether the device checks the bounds of a window itself. rdma_rxe checks those of the
   * region that the window is bound to (Linux 6.1 and others).
   */
  public boolean hasWindowBounds() {
    return hasTypeTwoWindows() && vendor != RXE_VENDOR;
  }

  public boolean hasSrq() {
    return maxSrqs > 0;
  }

  /**
   * Returns whether the device has WRITE with immediate. All have it except iWARP, of which
   * Alibaba's has it (rdma-core 691953d8d, providers/erdma/erdma_verbs.c).
   */
  public boolean hasWriteWithImmediate() {
    return transport != Transport.IWARP || vendor == ALIBABA_VENDOR;
  }

  /**
   * Returns whether the device uses the ACK timeout that a program sets. Intel's accept it and keep
   * their own, in every generation (Linux, hw/irdma/verbs.c at d5029dc7).
   */
  public boolean keepsAckTimeout() {
    return vendor != INTEL_VENDOR;
  }

  /**
   * Returns whether a completed Send has reached the peer's device. On iWARP it may be in this
   * host's TCP still (RFC 5040, 3.2).
   */
  public boolean completesAfterDelivery() {
    return transport != Transport.IWARP;
  }
}
