package io.verbena.core.stat;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import javax.management.JMException;
import javax.management.ObjectName;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The clients and servers of this process that can be asked. Safe for use by any thread. */
public final class Stats implements VerbenaMXBean {
  /** A system property that tells, without asking more, that a JVM has a {@link VerbenaMXBean}. */
  public static final String MARK = "io.verbena.stat";

  private static final Logger LOG = LoggerFactory.getLogger(Stats.class);
  private static final Stats THIS_PROCESS = new Stats();

  private final List<Supplier<EngineStat>> engines = new CopyOnWriteArrayList<>();
  private boolean registered;

  private Stats() {}

  /** Has a client or server answer from now on, until it is {@linkplain #forget forgotten}. */
  public static void add(Supplier<EngineStat> engine) {
    THIS_PROCESS.engines.add(engine);
    THIS_PROCESS.register();
  }

  /** Asks a client or server no more. */
  public static void forget(Supplier<EngineStat> engine) {
    THIS_PROCESS.engines.remove(engine);
  }

  /**
   * Returns what every client and server of this process tells now, in the order they were made.
   * Asks their event loops; takes 2 s where one does not answer.
   */
  public static List<EngineStat> engines() {
    return THIS_PROCESS.getEngines();
  }

  private synchronized void register() {
    if (registered) {
      return;
    }
    registered = true;
    try {
      ManagementFactory.getPlatformMBeanServer().registerMBean(this, new ObjectName(NAME));
      System.setProperty(MARK, "1");
    } catch (JMException | SecurityException e) {
      // Another class loader's Verbena has the name, or the process wants no management.
      LOG.debug("'verbena stat' will not see this Verbena", e);
    }
  }

  @Override
  public List<EngineStat> getEngines() {
    List<EngineStat> all = new ArrayList<>();
    for (Supplier<EngineStat> engine : engines) {
      all.add(engine.get());
    }
    return all;
  }
}
