package io.verbena.core.upgrade;

import io.verbena.core.link.UpgradeDriver;
import io.verbena.core.link.UpgradeProvider;
import java.util.Map;
import java.util.Objects;

/** A provider of which nothing is expected but what it returns. Safe for use by any thread. */
final class GuardedUpgrades implements UpgradeProvider {
  private final UpgradeProvider provider;
  private final String kind;
  private final Mishap mishap;

  GuardedUpgrades(UpgradeProvider provider) {
    this.provider = provider;
    this.kind = kindOf(provider);
    this.mishap = new Mishap(kind);
  }

  private static String kindOf(UpgradeProvider provider) {
    String itself = provider.getClass().getName();
    try {
      return Objects.requireNonNullElse(provider.kind(), itself);
    } catch (Throwable thrown) {
      new Mishap(itself).tell("it does not tell its kind", thrown);
      return itself;
    }
  }

  @Override
  public String kind() {
    return kind;
  }

  @Override
  public int priority() {
    try {
      return provider.priority();
    } catch (Throwable thrown) {
      mishap.tell("it does not tell its priority", thrown);
      return Integer.MIN_VALUE;
    }
  }

  @Override
  public Availability availability() {
    try {
      return Objects.requireNonNull(provider.availability(), "availability()");
    } catch (Throwable thrown) {
      return new Availability.Unavailable(
          mishap.tell("it does not tell whether there is a device", thrown));
    }
  }

  /** Makes a driver that makes the provider's own when it is first used. */
  @Override
  public UpgradeDriver newDriver(Runnable wakeLoop) {
    return new GuardedDriver(provider, wakeLoop, mishap);
  }

  @Override
  public Map<String, Long> figures() {
    try {
      return Map.copyOf(provider.figures());
    } catch (Throwable thrown) {
      mishap.tell("it does not tell its figures", thrown);
      return Map.of();
    }
  }
}
