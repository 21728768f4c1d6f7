package io.verbena.core.stat;

import io.verbena.link.LinkProvider;
import io.verbena.link.ProviderChoice;
import io.verbena.link.UpgradeProvider;
import io.verbena.link.runtime.ThrottledLog;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** The clients and servers of this process that report figures. Safe for use by any thread. */
public final class Stats implements VerbenaMXBean {
  /** The system property by which a tool sees that a JVM has a {@link VerbenaMXBean}. */
  public static final String MARK = "io.verbena.stat";

  private static final ThrottledLog MANY =
      ThrottledLog.of(Stats.class, "clients and servers that are open beside many others");

  /**
   * The number of engines from which a warning is logged. A process needs one or two clients and
   * servers, a large test some more.
   */
  private static final int MANY_ENGINES = 64;

  private static final OpenOnes<Supplier<EngineStat>> OPEN =
      new OpenOnes<>(VerbenaMXBean.NAME, new Stats());

  private static boolean marked;

  private Stats() {}

  /**
   * Adds a client or server until it is {@linkplain #forget removed}. Logs a warning if so many are
   * open that the program seems to make one for each call without closing it.
   */
  public static void add(Supplier<EngineStat> engine) {
    int open = OPEN.add(engine);
    mark();
    if (open >= MANY_ENGINES && Integer.bitCount(open) == 1) {
      MANY.warn(
          "{} clients and servers are open in this process, each with event loops, threads and"
              + " memory. Share one client among all callers, and close() each one that is no longer"
              + " used",
          open);
    }
  }

  /**
   * Returns the kinds of links that sessions of this process may have: those on the class path, in
   * alphabetical order.
   */
  public static List<String> linkKinds() {
    return Stream.concat(
            ProviderChoice.of(LinkProvider.class, LinkProvider::scheme, LinkProvider::priority)
                .names()
                .stream(),
            ProviderChoice.of(
                UpgradeProvider.class, UpgradeProvider::kind, UpgradeProvider::priority)
                .names()
                .stream())
        .distinct()
        .sorted()
        .toList();
  }

  /** Removes a client or server. */
  public static void forget(Supplier<EngineStat> engine) {
    OPEN.remove(engine);
    mark();
  }

  private static synchronized void mark() {
    boolean registered = OPEN.isRegistered();
    if (registered) {
      System.setProperty(MARK, "1");
    } else if (marked) { // otherwise the mark may be that of Verbena in another class loader
      System.clearProperty(MARK);
    }
    marked = registered;
  }

  /**
   * Returns the present figures of all clients and servers of this process, in the order in which
   * they were made. It asks their event loops, and takes up to 2 s if one does not answer.
   */
  public static List<EngineStat> engines() {
    return OPEN.all().stream().map(Supplier::get).toList();
  }

  @Override
  public List<EngineStat> getEngines() {
    return engines();
  }
}
