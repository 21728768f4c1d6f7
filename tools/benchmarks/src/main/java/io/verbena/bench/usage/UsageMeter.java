package io.verbena.bench.usage;

import com.sun.management.ThreadMXBean;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;

/**
 * Reads the usage of this process from the kernel. Its times are exact to a microsecond, while the
 * JVM has ticks of 10 ms. They include threads that have ended.
 */
public final class UsageMeter {
  private static final ThreadMXBean THREADS =
      ManagementFactory.getPlatformMXBean(ThreadMXBean.class);
  private static final CompilationMXBean COMPILERS = ManagementFactory.getCompilationMXBean();

  /** {@code int getrusage(int who, struct rusage *usage)}. */
  private static final MethodHandle GETRUSAGE =
      Linker.nativeLinker()
          .downcallHandle(
              Linker.nativeLinker().defaultLookup().findOrThrow("getrusage"),
              FunctionDescriptor.of(
                  ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.ADDRESS));

  private static final int RUSAGE_SELF = 0;

  /** Offsets in struct rusage, which has two times of two longs each, then 14 longs. */
  private static final int USER = 0;

  private static final int SYSTEM = 2;
  private static final int WAITED = 16;
  private static final int TAKEN_OFF = 17;
  private static final int FIELDS = 18;

  private UsageMeter() {}

  /** Returns the usage of this process so far. */
  public static Usage read() {
    long allocated = THREADS.getTotalThreadAllocatedBytes();
    long compiling = TimeUnit.MILLISECONDS.toNanos(COMPILERS.getTotalCompilationTime());
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment usage = arena.allocate(ValueLayout.JAVA_LONG, FIELDS);
      int status = (int) GETRUSAGE.invokeExact(RUSAGE_SELF, usage);
      if (status != 0) {
        throw new IllegalStateException("getrusage failed");
      }
      return new Usage(
          nanos(usage, USER) + nanos(usage, SYSTEM),
          allocated,
          usage.getAtIndex(ValueLayout.JAVA_LONG, WAITED)
              + usage.getAtIndex(ValueLayout.JAVA_LONG, TAKEN_OFF),
          compiling);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) { // a method handle declares no other
      throw new IllegalStateException(e);
    }
  }

  /** Reads a time, which is seconds, then microseconds. */
  private static long nanos(MemorySegment usage, int at) {
    return TimeUnit.SECONDS.toNanos(usage.getAtIndex(ValueLayout.JAVA_LONG, at))
        + TimeUnit.MICROSECONDS.toNanos(usage.getAtIndex(ValueLayout.JAVA_LONG, at + 1));
  }
}
