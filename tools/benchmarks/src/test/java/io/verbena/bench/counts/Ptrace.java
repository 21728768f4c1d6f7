package io.verbena.bench.counts;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * One thread of another process, executed step by step; Linux on x86-64. For one platform thread,
 * from attaching to closing.
 */
final class Ptrace implements AutoCloseable {
  private static final int PEEK = 2;
  private static final int PEEK_USER = 3;
  private static final int STEP = 9;
  private static final int DETACH = 17;
  private static final int SEIZE = 0x4206;
  private static final int INTERRUPT = 0x4207;
  private static final int ANY_CHILD = 0x4000_0000; // __WALL
  private static final int STOPPED = 0x7f;
  private static final int TRAP = 5;

  /** Where {@code struct user} has the address of the next instruction. */
  private static final long RIP = 16 * Long.BYTES;

  private static final MethodHandle CALL = function("ptrace", true);
  private static final MethodHandle WAIT = function("waitpid", false);

  private final long thread;
  private final Arena arena = Arena.ofConfined();
  private final MemorySegment status = arena.allocate(ValueLayout.JAVA_INT);
  private long signal;

  /** Stops a thread of a process that this one has started. */
  Ptrace(long thread) throws IOException {
    this.thread = thread;
    ask(SEIZE, 0, 0);
    ask(INTERRUPT, 0, 0);
    await();
  }

  private static MethodHandle function(String name, boolean isPtrace) {
    Linker linker = Linker.nativeLinker();
    MemorySegment address = linker.defaultLookup().findOrThrow(name);
    return isPtrace
        ? linker.downcallHandle(
            address,
            FunctionDescriptor.of(
                ValueLayout.JAVA_LONG,
                ValueLayout.JAVA_INT,
                ValueLayout.JAVA_LONG,
                ValueLayout.JAVA_LONG,
                ValueLayout.JAVA_LONG),
            Linker.Option.firstVariadicArg(1))
        : linker.downcallHandle(
            address,
            FunctionDescriptor.of(
                ValueLayout.JAVA_INT,
                ValueLayout.JAVA_INT,
                ValueLayout.ADDRESS,
                ValueLayout.JAVA_INT));
  }

  /** Has it execute one instruction. */
  void step() throws IOException {
    ask(STEP, 0, signal);
    await();
  }

  /** Returns the address of the instruction that comes next. */
  long next() throws IOException {
    return call(PEEK_USER, RIP, 0);
  }

  /** Returns eight bytes of its memory. */
  long read(long address) throws IOException {
    return call(PEEK, address, 0);
  }

  private void await() throws IOException {
    try {
      int got = (int) WAIT.invokeExact((int) thread, status, ANY_CHILD);
      int how = status.get(ValueLayout.JAVA_INT, 0);
      if (got != thread || (how & STOPPED) != STOPPED) {
        throw new IOException("the process that is executed step by step has ended");
      }
      int by = (how >> 8) & 0xff;
      signal = by == TRAP ? 0 : by; // others are its own, and it goes on with them
    } catch (IOException e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  private void ask(int request, long address, long data) throws IOException {
    if (call(request, address, data) != 0) {
      throw new IOException("ptrace is not allowed here");
    }
  }

  private long call(int request, long address, long data) throws IOException {
    try {
      return (long) CALL.invokeExact(request, thread, address, data);
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  /** Lets it go on by itself. */
  @Override
  public void close() throws IOException {
    ask(DETACH, 0, signal);
    arena.close();
  }
}
