package io.verbena.rdma;

import io.verbena.testkit.BulkContract;
import io.verbena.testkit.LinkHarness;
import io.verbena.testkit.Seed;
import io.verbena.verbs.fabric.DeviceProfile;
import io.verbena.verbs.fabric.Personality;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** The bulk contract over verbs in memory, for each way in which devices let a peer write. */
final class FabricBulkContractTest {
  private static LinkHarness harness(DeviceProfile profile) {
    return new FabricLinkHarness(Seed.random("bulk over a fabric").nextLong(), profile);
  }

  @Nested
  @DisplayName("Bulk by windows and immediates")
  final class WithEverything extends BulkContract {
    @Override
    protected LinkHarness newHarness() {
      return harness(DeviceProfile.full());
    }
  }

  @Nested
  @DisplayName("Bulk by windows whose bounds the device does not check")
  final class WithUnboundedWindows extends BulkContract {
    @Override
    protected LinkHarness newHarness() {
      return harness(DeviceProfile.full().withWindows(DeviceProfile.Windows.UNBOUNDED));
    }
  }

  @Nested
  @DisplayName("Bulk without windows")
  final class WithoutWindows extends BulkContract {
    @Override
    protected LinkHarness newHarness() {
      return harness(DeviceProfile.full().withoutMemoryWindows());
    }
  }

  @Nested
  @DisplayName("Bulk with windows that the kernel reports and the library cannot make")
  final class WithReportedWindows extends BulkContract {
    @Override
    protected LinkHarness newHarness() {
      return harness(DeviceProfile.full().withWindows(DeviceProfile.Windows.REPORTED));
    }
  }

  @Nested
  @DisplayName("Bulk without immediates")
  final class WithoutImmediates extends BulkContract {
    @Override
    protected LinkHarness newHarness() {
      return harness(DeviceProfile.full().withoutWriteWithImmediate());
    }
  }

  @Nested
  @DisplayName("Bulk with neither windows nor immediates")
  final class WithNeither extends BulkContract {
    @Override
    protected LinkHarness newHarness() {
      return harness(DeviceProfile.full().withoutWriteWithImmediate().withoutMemoryWindows());
    }
  }

  @Nested
  @ParameterizedClass(name = "{0}")
  @MethodSource("io.verbena.rdma.Adapters#ofLinks")
  @DisplayName("Bulk on adapters")
  final class OnAdapters extends BulkContract {
    @Parameter Personality adapter;

    @SuppressWarnings("NullAway.Init") // by JUnit
    OnAdapters() {}

    @Override
    protected LinkHarness newHarness() {
      return harness(adapter.profile());
    }
  }
}
