package io.verbena.verbs.fabric;

/**
 * What the device of a simulated host can do. Immutable; change one property at a time.
 *
 * @param writeWithImmediate false makes it an iWARP device, as siw is
 * @param windows which type 2 windows can be had
 * @param srq whether shared receive queues can be had
 * @param memlockBytes how much memory can be registered at a time
 * @param maxInline the longest inline send
 * @param maxSges pieces per request
 * @param maxRequests the deepest queue
 */
public record DeviceProfile(
    boolean writeWithImmediate,
    Windows windows,
    boolean srq,
    long memlockBytes,
    int maxInline,
    int maxSges,
    int maxRequests) {

  /** Which type 2 windows a device has. */
  public enum Windows {
    NONE,
    /**
     * Their bounds are not checked, those of the region are: as in rdma_rxe, whose vendor it has.
     */
    UNBOUNDED,
    BOUNDED
  }

  /** Everything that the specification describes. */
  public static DeviceProfile full() {
    return new DeviceProfile(true, Windows.BOUNDED, true, Long.MAX_VALUE, 512, 32, 1 << 14);
  }

  public DeviceProfile withoutWriteWithImmediate() {
    return new DeviceProfile(false, windows, srq, memlockBytes, maxInline, maxSges, maxRequests);
  }

  public DeviceProfile withoutMemoryWindows() {
    return withWindows(Windows.NONE);
  }

  /** Windows of another kind, or none. */
  public DeviceProfile withWindows(Windows kind) {
    return new DeviceProfile(
        writeWithImmediate, kind, srq, memlockBytes, maxInline, maxSges, maxRequests);
  }

  public DeviceProfile withoutSrq() {
    return new DeviceProfile(
        writeWithImmediate, windows, false, memlockBytes, maxInline, maxSges, maxRequests);
  }

  /** Registering more than {@code bytes} at a time fails with ENOMEM. */
  public DeviceProfile withMemlock(long bytes) {
    return new DeviceProfile(
        writeWithImmediate, windows, srq, bytes, maxInline, maxSges, maxRequests);
  }

  /** Inline sends longer than {@code bytes} cannot be had. */
  public DeviceProfile withMaxInline(int bytes) {
    return new DeviceProfile(
        writeWithImmediate, windows, srq, memlockBytes, bytes, maxSges, maxRequests);
  }

  boolean isIwarp() {
    return !writeWithImmediate;
  }

  boolean memoryWindows() {
    return windows != Windows.NONE;
  }
}
