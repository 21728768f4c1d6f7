package io.verbena.verbs.ffm;

import io.verbena.verbs.ext.VerbsProvider;
import io.verbena.verbs.testkit.VerbsHarness;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/** Both hosts are this one, and time is what it is. */
final class DeviceHarness implements VerbsHarness {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /** Within this a condition is asked for without pause. */
  private static final long SPIN_NANOS = 1_000_000;

  @Override
  public VerbsProvider active() {
    return FfmProvider.shared();
  }

  @Override
  public VerbsProvider passive() {
    return FfmProvider.shared();
  }

  @Override
  public InetAddress address() {
    return LabDevice.ipv4(0).getAddress();
  }

  @Override
  public Optional<InetAddress> ipv6Address() {
    return Optional.of(LabDevice.ipv6(0).getAddress());
  }

  /** The last host number but one of the device's 256 addresses. */
  @Override
  public InetAddress silentAddress() {
    byte[] address = address().getAddress();
    address[3] = (byte) 253;
    try {
      return InetAddress.getByAddress(address);
    } catch (UnknownHostException impossible) {
      throw new AssertionError("four bytes are an address", impossible);
    }
  }

  @Override
  public boolean isReal() {
    return true;
  }

  @Override
  public void await(String what, Condition condition) throws Exception {
    long start = System.nanoTime();
    while (!condition.holds()) {
      long waited = System.nanoTime() - start;
      if (waited > PATIENCE.toNanos()) {
        throw new AssertionError(what + " did not come within " + PATIENCE + " on " + this);
      }
      if (waited > SPIN_NANOS) {
        LockSupport.parkNanos(SPIN_NANOS / 10);
      }
    }
  }

  @Override
  public void pass(Duration time) {
    long end = System.nanoTime() + time.toNanos();
    for (long left = time.toNanos(); left > 0; left = end - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }

  @Override
  public String toString() {
    return LabDevice.name();
  }
}
