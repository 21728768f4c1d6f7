package io.verbena.core.stat;

import io.verbena.link.runtime.ThrottledLog;
import java.util.List;
import java.util.function.Supplier;

/** The clients and servers of this process that can be asked. Safe for use by any thread. */
public final class Stats implements VerbenaMXBean {
  /** A system property that tells, without asking more, that a JVM has a {@link VerbenaMXBean}. */
  public static final String MARK = "io.verbena.stat";

  private static final ThrottledLog MANY =
      ThrottledLog.of(Stats.class, "clients and servers that are open beside many others");

  /** A process has a client and a server or two. Tests of a whole house have some more. */
  private static final int MANY_ENGINES = 64;

  private static final OpenOnes<Supplier<EngineStat>> OPEN =
      new OpenOnes<>(VerbenaMXBean.NAME, new Stats());

  private Stats() {}

  /**
   * Has a client or server answer from now on, until it is {@linkplain #forget forgotten}. Warns
   * where so many are open that somebody seems to make one for each call and to close none.
   */
  public static void add(Supplier<EngineStat> engine) {
    int open = OPEN.add(engine);
    mark();
    if (open >= MANY_ENGINES && Integer.bitCount(open) == 1) {
      MANY.warn(
          "{} clients and servers are open in this process, each with event loops, threads and"
              + " memory of its own. Share one client among all that call, and close() those that"
              + " nobody uses any more",
          open);
    }
  }

  /** Asks a client or server no more. */
  public static void forget(Supplier<EngineStat> engine) {
    OPEN.remove(engine);
    mark();
  }

  private static synchronized void mark() {
    if (OPEN.isRegistered()) {
      System.setProperty(MARK, "1");
    } else if (OPEN.all().isEmpty()) {
      System.clearProperty(MARK);
    }
  }

  /**
   * Returns what every client and server of this process tells now, in the order they were made.
   * Asks their event loops; takes 2 s where one does not answer.
   */
  public static List<EngineStat> engines() {
    return OPEN.all().stream().map(Supplier::get).toList();
  }

  @Override
  public List<EngineStat> getEngines() {
    return engines();
  }
}
