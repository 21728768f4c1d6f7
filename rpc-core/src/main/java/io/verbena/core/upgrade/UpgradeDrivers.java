package io.verbena.core.upgrade;

import io.verbena.link.LinkException;
import io.verbena.link.UpgradeDriver;
import io.verbena.link.UpgradeProvider;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Steps one loop's better links. A driver that throws when it is stepped is closed with all its
 * links; the next attempt makes another. On the loop.
 */
public final class UpgradeDrivers {
  private final Runnable wakeLoop;
  private final List<Stepped> all = new ArrayList<>();

  /**
   * None yet.
   *
   * @param wakeLoop ends the loop's wait; safe for any thread
   */
  public UpgradeDrivers(Runnable wakeLoop) {
    this.wakeLoop = wakeLoop;
  }

  /** The driver of one provider, while there is one. */
  private static final class Stepped {
    private final UpgradeProvider provider;
    private final String kind;
    private @Nullable UpgradeDriver driver;
    private @Nullable String breaking;

    Stepped(UpgradeProvider provider, String kind) {
      this.provider = provider;
      this.kind = kind;
    }

    void breaks(String method, Throwable thrown) {
      breaking = ProviderCalls.failure(method, thrown).getMessage();
      close();
      breaking = null;
    }

    void close() {
      UpgradeDriver closing = driver;
      driver = null;
      if (closing != null) {
        try {
          closing.close();
        } catch (Throwable thrown) {
          ProviderCalls.failure("close()", thrown);
        }
      }
    }
  }

  /**
   * Returns the driver of a provider; made when first asked, and for each kind that the provider
   * stands for in turn.
   *
   * @throws LinkException if it cannot be made
   */
  public UpgradeDriver of(UpgradeProvider provider) throws LinkException {
    String kind = ProviderCalls.ask("kind()", provider::kind);
    Stepped one = null;
    for (Stepped known : all) {
      if (known.provider.equals(provider) && known.kind.equals(kind)) {
        one = known;
      }
    }
    if (one == null) {
      one = new Stepped(provider, kind);
      all.add(one);
    }
    UpgradeDriver made = one.driver;
    if (made == null) {
      made = ProviderCalls.ask("newDriver()", () -> provider.newDriver(wakeLoop));
      one.driver = made;
    }
    return made;
  }

  /** Returns what a provider's driver threw, while its links end for that; else null. */
  public @Nullable String breaking(UpgradeProvider provider) {
    for (Stepped one : all) {
      if (one.breaking != null && one.provider.equals(provider)) {
        return one.breaking;
      }
    }
    return null;
  }

  /** Does what is ready; returns how much was done. */
  public int poll(long nowNanos) {
    int work = 0;
    for (int i = 0; i < all.size(); i++) { // an attempt in the midst of it may add one
      Stepped one = all.get(i);
      if (one.driver != null) {
        try {
          work += one.driver.poll(nowNanos);
        } catch (Throwable thrown) {
          one.breaks("poll()", thrown);
          work++;
        }
      }
    }
    return work;
  }

  /** Returns whether there are links. */
  public boolean isInUse() {
    for (int i = 0; i < all.size(); i++) {
      Stepped one = all.get(i);
      try {
        if (one.driver != null && one.driver.isInUse()) {
          return true;
        }
      } catch (Throwable thrown) {
        one.breaks("isInUse()", thrown);
      }
    }
    return false;
  }

  /** Returns whether the loop may wait: what happens from now on wakes it. */
  public boolean armWakeup(long nowNanos) {
    for (int i = 0; i < all.size(); i++) {
      Stepped one = all.get(i);
      try {
        if (one.driver != null && !one.driver.armWakeup(nowNanos)) {
          return false;
        }
      } catch (Throwable thrown) {
        one.breaks("armWakeup()", thrown);
        return false; // what the links' ends have brought about is to be done first
      }
    }
    return true;
  }

  /** Closes every link. */
  public void close() {
    all.forEach(Stepped::close);
  }
}
