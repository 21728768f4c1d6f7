package io.verbena.rdma;

import com.ibm.disni.verbs.IbvContext;
import io.verbena.link.UpgradeDriver;
import io.verbena.link.UpgradeProvider;
import io.verbena.link.runtime.NanoClock;
import io.verbena.rdma.cm.RdmaDriver;
import io.verbena.rdma.device.PinBudget;
import io.verbena.verbs.ext.Errno;
import io.verbena.verbs.ext.VerbsContext;
import io.verbena.verbs.ext.VerbsException;
import io.verbena.verbs.ext.VerbsProvider;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * RDMA links over the verbs provider on the class path. All drivers of one instance share its
 * counters and its budget of registered memory. Safe for use by any thread.
 */
public final class RdmaUpgradeProvider implements UpgradeProvider {
  private static final Logger LOG = LoggerFactory.getLogger(RdmaUpgradeProvider.class);

  /** The last fault of the properties, so that it is logged once for all clients and servers. */
  private static volatile String toldOfProperties = "";

  private final GuardedVerbs verbs;
  private final RdmaSettings settings;
  private final DeviceAddresses addresses;
  private final NanoClock clock;
  private final RdmaCounters counters;
  private final PinBudget budget;

  /** The last failure other than a missing device, so that each is logged once. */
  private volatile String told = "";

  /**
   * Makes a provider with {@link RdmaSettings#ofProperties()}. {@link java.util.ServiceLoader}
   * calls this. A wrong property is also logged: if there is another kind of link, no other message
   * would show it.
   *
   * @throws IllegalArgumentException if a property is out of range
   */
  public RdmaUpgradeProvider() {
    this(settingsOfProperties());
  }

  private static RdmaSettings settingsOfProperties() {
    try {
      return RdmaSettings.ofProperties();
    } catch (IllegalArgumentException e) {
      tellOfProperties(e.getMessage() + "; " + devices(GuardedVerbs.onClassPath()));
      throw e;
    }
  }

  private static void tellOfProperties(String reason) {
    if (!toldOfProperties.equals(reason)) {
      toldOfProperties = reason;
      LOG.warn("RDMA links are not available: {}", reason);
    }
  }

  private static String devices(VerbsProvider verbs) {
    try {
      return "there are the verbs devices " + String.join(", ", DeviceAddresses.names(verbs));
    } catch (Throwable thrown) { // a provider may throw anything; there are no names then
      return "there is no verbs device";
    }
  }

  /** Makes a provider over the verbs that {@link GuardedVerbs#onClassPath()} finds. */
  public RdmaUpgradeProvider(RdmaSettings settings) {
    this(GuardedVerbs.onClassPath(), settings, NanoClock.SYSTEM);
  }

  /**
   * Makes a provider over these verbs.
   *
   * @param clock the only clock that the links use
   */
  public RdmaUpgradeProvider(VerbsProvider verbs, RdmaSettings settings, NanoClock clock) {
    this.verbs = GuardedVerbs.of(verbs);
    this.settings = settings;
    this.addresses = new DeviceAddresses(this.verbs, settings.device(), clock);
    this.clock = clock;
    this.counters = new RdmaCounters(clock);
    this.budget = new PinBudget(settings.maxPinnedBytes());
  }

  /** Returns the present counts of the links. */
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
    Optional<VerbsException> problem = verbs.problem();
    if (problem.isPresent()) {
      return unavailable(problem.get());
    }
    try {
      if (!settings.device().isAny()) {
        Optional<String> none = addresses.problem();
        return none.isPresent()
            ? new Availability.Unavailable(tellOnce(none.get(), ofChoice(), null))
            : new Availability.Available(settings.device().toString());
      }
      StringJoiner names = new StringJoiner(", ");
      for (IbvContext device : verbs.devices()) {
        names.add(VerbsContext.of(device).deviceName());
      }
      return new Availability.Available(names.toString());
    } catch (Throwable thrown) { // methods of a device are the provider's code, too
      return new Availability.Unavailable(tell(thrown));
    }
  }

  private Availability unavailable(VerbsException problem) {
    return new Availability.Unavailable(
        problem.errno() == Errno.ENODEV
            ? "no verbs device on this host: " + firstSentence(problem.cure())
            : tell(problem));
  }

  /** Logs an unexpected exception once, with its stack trace. */
  private String tell(Throwable thrown) {
    String words =
        thrown instanceof VerbsException verbsFailure
            ? verbsFailure.cure()
            : RdmaFailureText.of(thrown);
    return tellOnce("the verbs devices cannot be used: " + firstSentence(words), "", thrown);
  }

  private String ofChoice() {
    return " '%s' is chosen, by withDevice, %s or %s;"
        .formatted(settings.device(), RdmaSettings.DEVICE_PROPERTY, RdmaSettings.DEVICE_VARIABLE);
  }

  /**
   * Logs the reason that no session uses RDMA, unless it was logged before.
   *
   * @param further a text to log with it
   */
  private String tellOnce(String reason, String further, @Nullable Throwable thrown) {
    if (!told.equals(reason)) {
      told = reason;
      LOG.warn("{};{} sessions stay on TCP. 'verbena doctor' tells more", reason, further);
      LOG.debug("It was thrown here", thrown);
    }
    return reason;
  }

  /** The reason in a session's path is one line; 'verbena doctor' prints the rest. */
  private static String firstSentence(String text) {
    int end = text.indexOf(". ");
    return end >= 0 ? text.substring(0, end) : text.replaceFirst("\\.$", "");
  }

  /** A request for RDMA begins with a version. Requests of other kinds begin with a letter. */
  @Override
  public boolean understands(byte[] request) {
    return request.length == 0 || request[0] < 'A';
  }

  @Override
  public UpgradeDriver newDriver(Runnable wakeLoop) {
    try {
      return new RdmaDriver(verbs, addresses, settings, clock, counters, budget, wakeLoop);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
