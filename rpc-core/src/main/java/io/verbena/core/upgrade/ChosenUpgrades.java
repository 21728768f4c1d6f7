package io.verbena.core.upgrade;

import io.verbena.core.PathPolicy;
import io.verbena.link.ProviderChoice;
import io.verbena.link.UpgradeDriver;
import io.verbena.link.UpgradeProvider;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The providers of better links that this process uses. Safe for use by any thread. */
public final class ChosenUpgrades {
  /**
   * The system property that names the {@linkplain UpgradeProvider#kind() kind} to use if there are
   * several.
   */
  public static final String PROPERTY = "verbena.upgrade";

  private static final String NONE = "none";
  private static final Set<String> NOT_OTHERS = Set.of("rdma", NONE);

  private ChosenUpgrades() {}

  /** Returns the providers on the class path in the order in which they are tried; may be empty. */
  public static List<UpgradeProvider> onClassPath() {
    ProviderChoice<UpgradeProvider> choice =
        ProviderChoice.of(UpgradeProvider.class, UpgradeProvider::kind, UpgradeProvider::priority)
            .named(PROPERTY);
    String whyNone = choice.whyNone();
    return choice.all().isEmpty() && !whyNone.isEmpty()
        ? List.of(new NoUpgrades(whyNone))
        : choice.all();
  }

  /** Returns the providers on the class path that a policy allows. */
  public static List<UpgradeProvider> onClassPath(PathPolicy policy) {
    List<UpgradeProvider> all = onClassPath();
    return policy == PathPolicy.REQUIRE_RDMA
        ? all.stream().filter(one -> NOT_OTHERS.contains(one.kind())).toList()
        : all;
  }

  /** Returns the provider of RDMA links; null if it is not on the class path. */
  public static @Nullable UpgradeProvider rdma() {
    return onClassPath(PathPolicy.REQUIRE_RDMA).stream().findFirst().orElse(null);
  }

  /** Stands for providers that cannot be loaded. */
  private record NoUpgrades(String why) implements UpgradeProvider {
    @Override
    public String kind() {
      return NONE;
    }

    @Override
    public Availability availability() {
      return new Availability.Unavailable("no better link can be loaded: " + why);
    }

    @Override
    public UpgradeDriver newDriver(Runnable wakeLoop) {
      throw new IllegalStateException(why);
    }
  }
}
