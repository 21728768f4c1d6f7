package io.verbena.bench.usage;

import io.verbena.core.stat.EngineStat;
import io.verbena.core.stat.SessionStat;
import io.verbena.core.stat.VerbenaMXBean;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import javax.management.JMX;
import javax.management.MalformedObjectNameException;
import javax.management.ObjectName;

/** Reads what this process holds; on Linux. */
public final class ProcessMemory {
  private static final Path STATUS = Path.of("/proc/self/status");
  private static final Path CLEAR = Path.of("/proc/self/clear_refs");
  private static final File FILES = new File("/proc/self/fd");

  /** Has the kernel forget the peak of resident memory, and nothing else. */
  private static final String FORGET_PEAK = "5";

  private static final String PINNED = "pinned bytes";
  private static final int KIBIBYTE = 1024;

  private ProcessMemory() {}

  /** Collects garbage and counts what is held. */
  public static Held read() {
    System.gc();
    List<EngineStat> engines = engines();
    List<SessionStat> sessions = engines.stream().flatMap(one -> one.sessions().stream()).toList();
    return new Held(
        ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed(),
        ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
            .filter(pool -> pool.getName().equals("direct"))
            .mapToLong(BufferPoolMXBean::getMemoryUsed)
            .sum(),
        status("VmRSS:"),
        status("VmHWM:"),
        Objects.requireNonNull(FILES.list()).length,
        ManagementFactory.getThreadMXBean().getThreadCount(),
        sessions.size(),
        engines.stream().mapToLong(EngineStat::slotsInUse).sum(),
        engines.stream()
            .mapToLong(one -> one.bulk().memoryInUse() + one.bulk().quarantined())
            .sum(),
        sessions.stream().mapToLong(one -> one.callsIn() + one.callsOut()).sum(),
        engines.stream().mapToLong(one -> one.upgrade().getOrDefault(PINNED, 0L)).max().orElse(0));
  }

  /** Begins to look for another peak. */
  public static void forgetPeak() {
    try {
      Files.writeString(CLEAR, FORGET_PEAK);
    } catch (IOException e) {
      throw new UncheckedIOException("the peak of memory cannot be had by " + CLEAR, e);
    }
  }

  /** Returns how many one-way calls of this process's it was told may not have been executed. */
  public static long lostNotes() {
    return engines().stream()
        .map(EngineStat::oneways)
        .mapToLong(one -> one.unsent() + one.unknown() + one.refusedByPeer())
        .sum();
  }

  private static List<EngineStat> engines() {
    try {
      return JMX.newMXBeanProxy(
              ManagementFactory.getPlatformMBeanServer(),
              new ObjectName(VerbenaMXBean.NAME),
              VerbenaMXBean.class)
          .getEngines();
    } catch (MalformedObjectNameException e) {
      throw new IllegalStateException(e);
    }
  }

  private static long status(String name) {
    try {
      return Files.readAllLines(STATUS).stream()
          .filter(line -> line.startsWith(name))
          .mapToLong(line -> Long.parseLong(line.replaceAll("\\D+", "")) * KIBIBYTE)
          .findFirst()
          .orElse(0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
