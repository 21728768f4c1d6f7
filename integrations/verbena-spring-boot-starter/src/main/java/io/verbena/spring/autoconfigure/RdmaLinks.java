package io.verbena.spring.autoconfigure;

import io.verbena.core.EngineBuilder;
import io.verbena.core.PathPolicy;
import io.verbena.link.ProviderChoice;
import io.verbena.link.UpgradeProvider;
import io.verbena.rdma.DeviceChoice;
import io.verbena.rdma.RdmaSettings;
import io.verbena.rdma.RdmaUpgradeProvider;
import io.verbena.spring.VerbenaProperties.Rdma;
import java.util.Comparator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

/**
 * The RDMA links that the server and the client share.
 *
 * @param provider null if no property configures them; the links on the class path are used then
 */
record RdmaLinks(@Nullable UpgradeProvider provider) {
  private static final String PROVIDER = "io.verbena.rdma.RdmaUpgradeProvider";

  /**
   * The system property that limits upgrades to one kind. If that is another kind than RDMA, the
   * RDMA links configured here are used beside it.
   */
  private static final String KIND_PROPERTY = "verbena.upgrade";

  /**
   * Registers the RDMA links with an end, and beside them the other links on the class path, if the
   * path policy allows.
   */
  void giveTo(EngineBuilder<?> end, @Nullable PathPolicy path) {
    UpgradeProvider rdma = provider;
    if (rdma == null) {
      return;
    }
    if (path == PathPolicy.REQUIRE_RDMA) {
      end.upgrades(rdma);
      return;
    }
    Stream<UpgradeProvider> others =
        ProviderChoice.of(UpgradeProvider.class, UpgradeProvider::kind, UpgradeProvider::priority)
            .named(KIND_PROPERTY)
            .all()
            .stream()
            .filter(one -> !one.kind().equals(rdma.kind()));
    end.upgrades(
        Stream.concat(others, Stream.of(rdma))
            .sorted(Comparator.comparingInt(UpgradeProvider::priority).reversed())
            .toArray(UpgradeProvider[]::new));
  }

  static RdmaLinks of(Rdma set) {
    if (set.device() == null && set.trafficClass() == null && set.rails() == null) {
      return new RdmaLinks(null);
    }
    if (!ClassUtils.isPresent(PROVIDER, RdmaLinks.class.getClassLoader())) {
      throw new VerbenaStartException(
          "verbena.rdma.* is set, but no RDMA link is on the class path",
          "Add io.verbena:rpc-rdma and io.verbena:verbs-ffm, or remove the properties.");
    }
    try {
      return new RdmaLinks(Made.of(set));
    } catch (IllegalArgumentException e) {
      throw new VerbenaStartException(
          "Verbena's RDMA links cannot be set up: " + e.getMessage(),
          "Correct verbena.rdma.*. The message above names the setting.",
          e);
    }
  }

  /** Loaded only if the class path has RDMA links. */
  private static final class Made {
    static UpgradeProvider of(Rdma set) {
      RdmaSettings settings = RdmaSettings.ofProperties();
      if (set.device() != null) {
        settings = settings.withDevice(DeviceChoice.of(set.device()));
      }
      if (set.trafficClass() != null) {
        settings = settings.withTrafficClass(set.trafficClass());
      }
      if (set.rails() != null) {
        settings = settings.withRails(set.rails());
      }
      return new RdmaUpgradeProvider(settings);
    }
  }
}
