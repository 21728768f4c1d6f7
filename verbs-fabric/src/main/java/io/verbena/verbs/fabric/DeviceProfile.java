package io.verbena.verbs.fabric;

/**
 * The capabilities of a simulated host's device. Immutable; change one property at a time.
 *
 * @param writeWithImmediate whether the device has WRITE with immediate. A device without it is an
 *     iWARP device, like siw
 * @param windows the type 2 windows of the device
 * @param srq whether the device has shared receive queues
 * @param memlockBytes the limit of registered memory
 * @param maxInline the longest inline send
 * @param lowersInline whether a queue pair for which longer inline sends are requested gets the
 *     longest, as on hns. Otherwise it is refused
 * @param maxSges the most pieces of a request
 * @param maxRequests the depth of the deepest queue
 */
public record DeviceProfile(
    boolean writeWithImmediate,
    Windows windows,
    boolean srq,
    long memlockBytes,
    int maxInline,
    boolean lowersInline,
    int maxSges,
    int maxRequests) {

  /** The type 2 windows of a device. */
  public enum Windows {
    NONE,
    /** The kernel reports windows, but the device's library makes none, as on bnxt_re. */
    REPORTED,
    /**
     * Only the bounds of the region are checked, as in rdma_rxe. The device then has its vendor.
     */
    UNBOUNDED,
    BOUNDED
  }

  /** Returns a device with everything in the specification. */
  public static DeviceProfile full() {
    return new DeviceProfile(true, Windows.BOUNDED, true, Long.MAX_VALUE, 512, false, 32, 1 << 14);
  }

  public DeviceProfile withoutWriteWithImmediate() {
    return new DeviceProfile(
        false, windows, srq, memlockBytes, maxInline, lowersInline, maxSges, maxRequests);
  }

  public DeviceProfile withoutMemoryWindows() {
    return withWindows(Windows.NONE);
  }

  /** Returns this device with windows of another kind, or none. */
  public DeviceProfile withWindows(Windows kind) {
    return new DeviceProfile(
        writeWithImmediate, kind, srq, memlockBytes, maxInline, lowersInline, maxSges, maxRequests);
  }

  public DeviceProfile withoutSrq() {
    return new DeviceProfile(
        writeWithImmediate,
        windows,
        false,
        memlockBytes,
        maxInline,
        lowersInline,
        maxSges,
        maxRequests);
  }

  /** Returns this device with a limit. Registering more than {@code bytes} fails with ENOMEM. */
  public DeviceProfile withMemlock(long bytes) {
    return new DeviceProfile(
        writeWithImmediate, windows, srq, bytes, maxInline, lowersInline, maxSges, maxRequests);
  }

  /** Returns this device with another longest inline send. */
  public DeviceProfile withMaxInline(int bytes) {
    return new DeviceProfile(
        writeWithImmediate, windows, srq, memlockBytes, bytes, lowersInline, maxSges, maxRequests);
  }

  /** Returns this device, which lowers the length of inline sends in place of refusing it. */
  public DeviceProfile loweringInline() {
    return new DeviceProfile(
        writeWithImmediate, windows, srq, memlockBytes, maxInline, true, maxSges, maxRequests);
  }

  /** Returns this device with another limit of the pieces of a request. */
  public DeviceProfile withMaxSges(int pieces) {
    return new DeviceProfile(
        writeWithImmediate,
        windows,
        srq,
        memlockBytes,
        maxInline,
        lowersInline,
        pieces,
        maxRequests);
  }

  boolean isIwarp() {
    return !writeWithImmediate;
  }

  boolean reportsWindows() {
    return windows != Windows.NONE;
  }

  boolean makesWindows() {
    return windows == Windows.UNBOUNDED || windows == Windows.BOUNDED;
  }
}
