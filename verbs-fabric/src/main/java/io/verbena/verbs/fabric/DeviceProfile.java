package io.verbena.verbs.fabric;

/**
 * What the device of a simulated host can do. Immutable; change one property at a time.
 *
 * @param writeWithImmediate false makes it an iWARP device, as siw is
 * @param memoryWindows whether type 2 windows can be had
 * @param srq whether shared receive queues can be had
 * @param memlockBytes how much memory can be registered at a time
 * @param maxInline the longest inline send
 * @param maxSges pieces per request
 * @param maxRequests the deepest queue
 */
public record DeviceProfile(
    boolean writeWithImmediate,
    boolean memoryWindows,
    boolean srq,
    long memlockBytes,
    int maxInline,
    int maxSges,
    int maxRequests) {

  /** Everything that rdma_rxe can do. */
  public static DeviceProfile full() {
    return new DeviceProfile(true, true, true, Long.MAX_VALUE, 512, 32, 1 << 14);
  }

  public DeviceProfile withoutWriteWithImmediate() {
    return new DeviceProfile(
        false, memoryWindows, srq, memlockBytes, maxInline, maxSges, maxRequests);
  }

  public DeviceProfile withoutMemoryWindows() {
    return new DeviceProfile(
        writeWithImmediate, false, srq, memlockBytes, maxInline, maxSges, maxRequests);
  }

  public DeviceProfile withoutSrq() {
    return new DeviceProfile(
        writeWithImmediate, memoryWindows, false, memlockBytes, maxInline, maxSges, maxRequests);
  }

  /** Registering more than {@code bytes} at a time fails with ENOMEM. */
  public DeviceProfile withMemlock(long bytes) {
    return new DeviceProfile(
        writeWithImmediate, memoryWindows, srq, bytes, maxInline, maxSges, maxRequests);
  }

  /** Inline sends longer than {@code bytes} cannot be had. */
  public DeviceProfile withMaxInline(int bytes) {
    return new DeviceProfile(
        writeWithImmediate, memoryWindows, srq, memlockBytes, bytes, maxSges, maxRequests);
  }
}
