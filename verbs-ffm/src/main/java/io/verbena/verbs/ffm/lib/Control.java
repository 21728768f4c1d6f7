package io.verbena.verbs.ffm.lib;

import io.verbena.verbs.ext.Errno;
import io.verbena.verbs.ext.VerbsException;
import java.lang.foreign.Arena;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.invoke.VarHandle;

/**
 * One control call: memory for its arguments and its errno, and the meaning of its result.
 *
 * <p>Control calls cost microseconds, so each has a confined arena of its own. Used by one thread,
 * in a try-with-resources.
 */
final class Control implements AutoCloseable, SegmentAllocator {
  private static final MemoryLayout STATE = Linker.Option.captureStateLayout();
  private static final VarHandle ERRNO =
      STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));

  private final Arena arena = Arena.ofConfined();
  private final String verb;

  /** Where the linker leaves errno: the first argument of every control call. */
  final MemorySegment errno = arena.allocate(STATE);

  private Control(String verb) {
    this.verb = verb;
  }

  static Control call(String verb) {
    return new Control(verb);
  }

  @Override
  public MemorySegment allocate(long bytes, long align) {
    return arena.allocate(bytes, align);
  }

  /** A pointer, which the verb returned; null is a failure. */
  MemorySegment pointer(MemorySegment result) throws VerbsException {
    if (result.address() == 0) {
      throw Cures.failure(verb, errno());
    }
    return result;
  }

  /** A status: 0 is good, -1 says that errno has the reason, anything above is the reason. */
  void zero(int result) throws VerbsException {
    if (result != 0) {
      throw Cures.failure(verb, result < 0 ? errno() : result);
    }
  }

  /** A status of a call that does not block: false says that there is nothing to take now. */
  boolean ready(int result) throws VerbsException {
    if (result != 0 && errno() == Errno.EAGAIN) {
      return false;
    }
    zero(result);
    return true;
  }

  int errno() {
    return (int) ERRNO.get(errno, 0L);
  }

  /** What a method handle threw: ours is handed back, to be thrown; a fault of ours is thrown. */
  static VerbsException unexpected(Throwable thrown) {
    return switch (thrown) {
      case VerbsException verbs -> verbs;
      case RuntimeException fault -> throw fault;
      case Error error -> throw error;
      default -> throw new IllegalStateException(thrown);
    };
  }

  @Override
  public void close() {
    arena.close();
  }
}
