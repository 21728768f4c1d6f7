package io.verbena.rdma;

import com.ibm.disni.verbs.IbvContext;
import io.verbena.core.NanoClock;
import io.verbena.core.link.UpgradeDriver;
import io.verbena.core.link.UpgradeProvider;
import io.verbena.rdma.cm.RdmaDriver;
import io.verbena.rdma.device.PinningBudget;
import io.verbena.verbs.ext.VerbsContext;
import io.verbena.verbs.ext.VerbsException;
import io.verbena.verbs.ext.VerbsProvider;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/**
 * RDMA links over the verbs provider that is on the class path. All drivers made by one instance
 * share its counters and its budget of registered memory. Safe for use by any thread.
 */
public final class RdmaUpgradeProvider implements UpgradeProvider {
  private final @Nullable VerbsProvider verbs;
  private final RdmaSettings settings;
  private final NanoClock clock;
  private final RdmaCounters counters;
  private final PinningBudget budget;

  /** For {@link ServiceLoader}: real devices, where a provider for them is on the class path. */
  public RdmaUpgradeProvider() {
    this(
        ServiceLoader.load(VerbsProvider.class).findFirst().orElse(null),
        RdmaSettings.DEFAULT,
        NanoClock.SYSTEM);
  }

  /**
   * Links over certain verbs.
   *
   * @param verbs null where there are none
   * @param clock the only clock that the links look at
   */
  public RdmaUpgradeProvider(
      @Nullable VerbsProvider verbs, RdmaSettings settings, NanoClock clock) {
    this.verbs = verbs;
    this.settings = settings;
    this.clock = clock;
    this.counters = new RdmaCounters(clock);
    this.budget = new PinningBudget(settings.maxPinnedBytes());
  }

  /** Returns what has happened on the links so far. */
  public RdmaCounters.Snapshot counters() {
    return counters.snapshot();
  }

  /** Returns the bytes that are registered now. */
  public long pinnedBytes() {
    return budget.registered();
  }

  @Override
  public Map<String, Long> figures() {
    RdmaCounters.Snapshot now = counters();
    Map<String, Long> figures = new LinkedHashMap<>();
    figures.put("pinned bytes", pinnedBytes());
    figures.put("pinned bytes at most", settings.maxPinnedBytes());
    figures.put("registration cache bytes", now.cachedBytes());
    figures.put("registration cache idle", now.cachedRegions());
    figures.put("registration cache oldest s", now.cachedSeconds());
    figures.put("registration cache hits", now.cacheHits());
    figures.put("registration cache misses", now.cacheMisses());
    figures.put("registration cache evictions", now.cacheEvictions());
    figures.put("open to peers bytes", now.openBytes());
    figures.put("quarantined bytes", now.quarantinedBytes());
    figures.put("links opened", now.linksOpened());
    figures.put("links closed", now.linksClosed());
    figures.put(
        "strangers refused", now.unknownTokens() + now.replayedTokens() + now.expiredTokens());
    figures.put("rules broken by peers", now.brokenRules());
    figures.put("undrained", now.undrained());
    return figures;
  }

  @Override
  public String kind() {
    return "rdma";
  }

  @Override
  public Availability availability() {
    VerbsProvider provider = verbs;
    if (provider == null) {
      return new Availability.Unavailable(
          "no verbs provider on the class path; add io.verbena:verbs-ffm");
    }
    Optional<VerbsException> problem = provider.problem();
    if (problem.isPresent()) {
      return new Availability.Unavailable(
          "no verbs device on this host: " + firstSentence(problem.get().cure()));
    }
    try {
      StringJoiner names = new StringJoiner(", ");
      for (IbvContext device : provider.devices()) {
        names.add(VerbsContext.of(device).deviceName());
      }
      return new Availability.Available(names.toString());
    } catch (IOException e) {
      return new Availability.Unavailable("the verbs devices cannot be used: " + e.getMessage());
    }
  }

  /** A path's reason is one line in a log; 'verbena doctor' says the rest. */
  private static String firstSentence(String text) {
    int end = text.indexOf(". ");
    return end < 0 ? text : text.substring(0, end);
  }

  @Override
  public UpgradeDriver newDriver(Runnable wakeLoop) {
    VerbsProvider provider = verbs;
    if (provider == null) {
      throw new IllegalStateException("there are no verbs here; ask availability() first");
    }
    try {
      return new RdmaDriver(provider, settings, clock, counters, budget, wakeLoop);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
