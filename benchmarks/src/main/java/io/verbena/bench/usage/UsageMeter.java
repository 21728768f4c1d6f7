package io.verbena.bench.usage;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** Reads what this process has used. */
public final class UsageMeter {
  private static final OperatingSystemMXBean SYSTEM =
      ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
  private static final ThreadMXBean THREADS =
      ManagementFactory.getPlatformMXBean(ThreadMXBean.class);
  private static final CompilationMXBean COMPILERS = ManagementFactory.getCompilationMXBean();
  private static final Path TASKS = Path.of("/proc/self/task");

  private UsageMeter() {}

  /** Returns what this process has used so far. */
  public static Usage read() {
    return new Usage(
        SYSTEM.getProcessCpuTime(),
        THREADS.getTotalThreadAllocatedBytes(),
        contextSwitches(),
        TimeUnit.MILLISECONDS.toNanos(COMPILERS.getTotalCompilationTime()));
  }

  /** The file of the process tells of its first thread only, hence a look at each. */
  private static long contextSwitches() {
    long sum = 0;
    try (DirectoryStream<Path> tasks = Files.newDirectoryStream(TASKS)) {
      for (Path task : tasks) {
        sum += contextSwitches(task.resolve("status"));
      }
    } catch (IOException e) {
      return 0; // not Linux
    }
    return sum;
  }

  private static long contextSwitches(Path status) throws IOException {
    long sum = 0;
    try {
      for (String line : Files.readAllLines(status)) {
        if (line.contains("voluntary_ctxt_switches:")) {
          sum += Long.parseLong(line.substring(line.indexOf(':') + 1).strip());
        }
      }
    } catch (NoSuchFileException e) {
      return 0; // the thread ended meanwhile
    }
    return sum;
  }
}
