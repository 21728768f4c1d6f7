package io.verbena.core.upgrade;

import io.verbena.core.PathPolicy;
import io.verbena.link.ProviderChoice;
import io.verbena.link.UpgradeDriver;
import io.verbena.link.UpgradeProvider;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The kinds of better link that this process uses. Safe for use by any thread. */
public final class ChosenUpgrades {
  /** Names the {@linkplain UpgradeProvider#kind() kind} to use where there are several. */
  public static final String PROPERTY = "verbena.upgrade";

  private static final String NONE = "none";
  private static final Set<String> NOT_OTHERS = Set.of("rdma", NONE);

  private ChosenUpgrades() {}

  /** Returns those on the class path in the order in which they are tried; none may be there. */
  public static List<UpgradeProvider> onClassPath() {
    ProviderChoice<UpgradeProvider> choice =
        ProviderChoice.of(UpgradeProvider.class, UpgradeProvider::kind, UpgradeProvider::priority)
            .named(PROPERTY);
    String whyNone = choice.whyNone();
    return choice.all().isEmpty() && !whyNone.isEmpty()
        ? List.of(new NoUpgrades(whyNone))
        : choice.all();
  }

  /** Returns those on the class path that calls may take by a policy. */
  public static List<UpgradeProvider> onClassPath(PathPolicy policy) {
    List<UpgradeProvider> all = onClassPath();
    return policy == PathPolicy.REQUIRE_RDMA
        ? all.stream().filter(one -> NOT_OTHERS.contains(one.kind())).toList()
        : all;
  }

  /** Returns what makes RDMA links; null where it is not on the class path. */
  public static @Nullable UpgradeProvider rdma() {
    return onClassPath(PathPolicy.REQUIRE_RDMA).stream().findFirst().orElse(null);
  }

  /** Stands for those that cannot be loaded. */
  private record NoUpgrades(String why) implements UpgradeProvider {
    @Override
    public String kind() {
      return NONE;
    }

    @Override
    public Availability availability() {
      return new Availability.Unavailable("no RDMA link can be loaded: " + why);
    }

    @Override
    public UpgradeDriver newDriver(Runnable wakeLoop) {
      throw new IllegalStateException(why);
    }
  }
}
