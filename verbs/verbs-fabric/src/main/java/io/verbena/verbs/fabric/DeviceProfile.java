package io.verbena.verbs.fabric;

import io.verbena.verbs.ext.DeviceAttributes.Transport;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A simulated host's device: its transport, its capabilities, its limits, and what it does
 * otherwise than most. Immutable; start from {@link #full()} or a {@link Personality}, and change
 * one property at a time.
 *
 * @param transport the network
 * @param vendor as the IEEE numbers it; 0 for none
 * @param driver the name of the kernel's driver; empty if it is unknown
 * @param writeWithImmediate whether the device has WRITE with immediate
 * @param windows the type 2 windows of the device
 * @param srq whether the device reports shared receive queues
 * @param limits the limits that differ from those of a full device
 * @param behaviours what it does otherwise
 */
public record DeviceProfile(
    Transport transport,
    int vendor,
    String driver,
    boolean writeWithImmediate,
    Windows windows,
    boolean srq,
    Map<DeviceLimit, Long> limits,
    Set<DeviceBehaviour> behaviours) {

  /** The type 2 windows of a device. */
  public enum Windows {
    NONE,
    /** The kernel reports windows, but the device's library makes none, as on bnxt_re. */
    REPORTED,
    /** The kernel sets the flag of windows with a largest number of 0, as on mlx4. */
    COUNTED_AS_NONE,
    /**
     * Only the bounds of the region are checked, as in rdma_rxe. The device then has its vendor.
     */
    UNBOUNDED,
    BOUNDED
  }

  /** Copies the collections. */
  public DeviceProfile {
    limits = Map.copyOf(limits);
    behaviours = Set.copyOf(behaviours);
  }

  /** Returns a device with everything in the specification. */
  public static DeviceProfile full() {
    return new DeviceProfile(
        Transport.INFINIBAND, 0, "", true, Windows.BOUNDED, true, Map.of(), Set.of());
  }

  /** Returns a device of the network of iWARP, without WRITE with immediate, as siw. */
  public DeviceProfile withoutWriteWithImmediate() {
    return new DeviceProfile(
            Transport.IWARP, vendor, driver, false, windows, srq, limits, behaviours)
        .with(DeviceBehaviour.DROPS_LATE_REQUESTS);
  }

  /** Returns this device in another kind of network. */
  public DeviceProfile over(Transport network) {
    return new DeviceProfile(
        network, vendor, driver, writeWithImmediate, windows, srq, limits, behaviours);
  }

  /** Returns this device of a vendor. */
  public DeviceProfile ofVendor(int number) {
    return new DeviceProfile(
        transport, number, driver, writeWithImmediate, windows, srq, limits, behaviours);
  }

  /** Returns this device with a driver's name. */
  public DeviceProfile by(String name) {
    return new DeviceProfile(
        transport, vendor, name, writeWithImmediate, windows, srq, limits, behaviours);
  }

  public DeviceProfile withoutImmediates() {
    return new DeviceProfile(transport, vendor, driver, false, windows, srq, limits, behaviours);
  }

  public DeviceProfile withoutMemoryWindows() {
    return withWindows(Windows.NONE);
  }

  /** Returns this device with windows of another kind, or none. */
  public DeviceProfile withWindows(Windows kind) {
    return new DeviceProfile(
        transport, vendor, driver, writeWithImmediate, kind, srq, limits, behaviours);
  }

  public DeviceProfile withoutSrq() {
    return new DeviceProfile(
        transport, vendor, driver, writeWithImmediate, windows, false, limits, behaviours);
  }

  /** Returns this device with another limit. */
  public DeviceProfile with(DeviceLimit limit, long most) {
    Map<DeviceLimit, Long> changed = new EnumMap<>(DeviceLimit.class);
    changed.putAll(limits);
    changed.put(limit, most);
    return new DeviceProfile(
        transport, vendor, driver, writeWithImmediate, windows, srq, changed, behaviours);
  }

  /** Returns this device with further behaviours. */
  public DeviceProfile with(DeviceBehaviour... more) {
    Set<DeviceBehaviour> all = EnumSet.noneOf(DeviceBehaviour.class);
    all.addAll(behaviours);
    all.addAll(List.of(more));
    return new DeviceProfile(
        transport, vendor, driver, writeWithImmediate, windows, srq, limits, all);
  }

  /** Returns this device with a limit. Registering more than {@code bytes} fails with ENOMEM. */
  public DeviceProfile withMemlock(long bytes) {
    return with(DeviceLimit.REGISTERED_BYTES, bytes);
  }

  /** Returns this device with another longest inline send. */
  public DeviceProfile withMaxInline(int bytes) {
    return with(DeviceLimit.INLINE, bytes);
  }

  /** Returns this device, which lowers the length of inline sends in place of refusing it. */
  public DeviceProfile loweringInline() {
    return with(DeviceBehaviour.LOWERS_INLINE);
  }

  /** Returns this device with another limit of the pieces of a request. */
  public DeviceProfile withMaxSges(int pieces) {
    return with(DeviceLimit.PIECES, pieces);
  }

  /** Returns a limit. */
  public long limit(DeviceLimit which) {
    return limits.getOrDefault(which, which.usual());
  }

  int count(DeviceLimit which) {
    return Math.toIntExact(limit(which));
  }

  /** Returns whether the device behaves so. */
  public boolean has(DeviceBehaviour behaviour) {
    return behaviours.contains(behaviour);
  }

  boolean isIwarp() {
    return transport == Transport.IWARP;
  }

  /** Returns whether the kernel sets the flag of windows. */
  boolean flagsWindows() {
    return windows != Windows.NONE;
  }

  /** Returns whether the kernel reports a number of windows. */
  boolean reportsWindows() {
    return flagsWindows() && windows != Windows.COUNTED_AS_NONE;
  }

  boolean makesWindows() {
    return windows == Windows.UNBOUNDED || windows == Windows.BOUNDED;
  }

  /** Returns the inline length that a queue pair gets; -1 if the device refuses the request. */
  int grantedInline(int asked) {
    int most = count(DeviceLimit.INLINE);
    if (has(DeviceBehaviour.IGNORES_INLINE)) {
      return asked;
    }
    if (asked > most) {
      return has(DeviceBehaviour.LOWERS_INLINE) ? most : -1;
    }
    return has(DeviceBehaviour.GRANTS_MORE_INLINE) ? asked + asked / 4 : asked;
  }
}
