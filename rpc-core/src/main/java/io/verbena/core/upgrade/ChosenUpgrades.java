package io.verbena.core.upgrade;

import io.verbena.link.ProviderChoice;
import io.verbena.link.UpgradeDriver;
import io.verbena.link.UpgradeProvider;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The kind of better link that this process uses. Safe for use by any thread. */
public final class ChosenUpgrades {
  /** Names the {@linkplain UpgradeProvider#kind() kind} to use where there are several. */
  public static final String PROPERTY = "verbena.upgrade";

  private ChosenUpgrades() {}

  /** Returns the best of those on the class path; null where there is none. */
  public static @Nullable UpgradeProvider onClassPath() {
    ProviderChoice<UpgradeProvider> choice =
        ProviderChoice.of(UpgradeProvider.class, UpgradeProvider::kind, UpgradeProvider::priority)
            .named(PROPERTY);
    boolean absent = choice.names().isEmpty() && choice.whyNone().isEmpty();
    return absent ? null : new Chosen(choice);
  }

  private record Chosen(ProviderChoice<UpgradeProvider> choice) implements UpgradeProvider {
    private UpgradeProvider now() {
      UpgradeProvider provider =
          choice.get(one -> ProviderCalls.availability(one) instanceof Availability.Available);
      return provider == null ? new NoUpgrades(choice.whyNone()) : provider;
    }

    @Override
    public String kind() {
      return now().kind();
    }

    @Override
    public Availability availability() {
      return ProviderCalls.availability(now());
    }

    @Override
    public UpgradeDriver newDriver(Runnable wakeLoop) {
      return now().newDriver(wakeLoop);
    }

    @Override
    public Map<String, Long> figures() {
      return now().figures();
    }
  }

  /** Stands for those that cannot be loaded. */
  private record NoUpgrades(String why) implements UpgradeProvider {
    @Override
    public String kind() {
      return "none";
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
