package io.verbena.verbs.ffm.lib;

import io.verbena.verbs.ext.Errno;
import io.verbena.verbs.ext.VerbsException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * A control call. It calls a function, and interprets the result and errno. Control calls take
 * microseconds, so each may use a confined arena for errno, and boxed arguments. Safe for use by
 * any thread.
 *
 * @param spread takes the segment for errno and the arguments, and returns the result
 */
public record Verb(String name, MethodHandle spread) {
  static final Linker.Option ERRNO = Linker.Option.captureCallState("errno");

  private static final MemoryLayout STATE = Linker.Option.captureStateLayout();
  private static final VarHandle ERRNO_OF =
      STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));

  private record Outcome(@Nullable Object result, int errno) {}

  /** Makes a call whose first argument is the segment for errno. */
  static Verb of(String name, MethodHandle handle) {
    int arguments = handle.type().parameterCount() - 1;
    MethodHandle boxed = handle.asType(handle.type().generic());
    return new Verb(name, boxed.asSpreader(Object[].class, arguments));
  }

  /** Makes a call of a function pointer in a device's context, which is the first argument. */
  static Verb ofContext(String name, FunctionDescriptor shape) {
    MethodHandle handle = Linker.nativeLinker().downcallHandle(shape, ERRNO);
    MethodType errnoSecond = handle.type();
    int[] order = new int[errnoSecond.parameterCount()];
    for (int i = 2; i < order.length; i++) {
      order[i] = i;
    }
    order[0] = 1; // both are segments
    return of(name, MethodHandles.permuteArguments(handle, errnoSecond, order));
  }

  private Outcome call(Object... arguments) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(STATE);
      Object result = (Object) spread.invokeExact((Object) state, arguments);
      return new Outcome(result, (int) ERRNO_OF.get(state, 0L));
    } catch (Throwable thrown) {
      throw unexpected(thrown);
    }
  }

  /** Calls a function without a result. */
  public void run(Object... arguments) {
    Outcome _ = call(arguments);
  }

  /** Calls a function that returns a pointer. A null pointer is a failure. */
  public MemorySegment pointer(Object... arguments) throws VerbsException {
    Outcome outcome = call(arguments);
    MemorySegment result = (MemorySegment) outcome.result();
    if (result == null || result.address() == 0) {
      throw Cures.failure(name, outcome.errno());
    }
    return result;
  }

  /**
   * Calls a function that returns a status. Zero is success, -1 a failure with its reason in errno,
   * and a positive status is the errno itself.
   */
  public void zero(Object... arguments) throws VerbsException {
    zero(call(arguments));
  }

  private void zero(Outcome outcome) throws VerbsException {
    int status = status(outcome);
    if (status != 0) {
      throw Cures.failure(name, status < 0 ? outcome.errno() : status);
    }
  }

  private static int status(Outcome outcome) {
    return outcome.result() instanceof Integer status ? status : 0;
  }

  /** Calls a non-blocking function with a status. Returns false if nothing is available now. */
  public boolean ready(Object... arguments) throws VerbsException {
    return unless(Errno.EAGAIN, arguments);
  }

  /** Calls a function with a status. Returns false if it fails with an expected errno. */
  public boolean unless(int expected, Object... arguments) throws VerbsException {
    Outcome outcome = call(arguments);
    int status = status(outcome);
    if (status != 0 && (status < 0 ? outcome.errno() : status) == expected) {
      return false;
    }
    zero(outcome);
    return true;
  }

  /** Calls a function that returns a descriptor, or another number from 0. */
  public int descriptor(Object... arguments) throws VerbsException {
    Outcome outcome = call(arguments);
    if (status(outcome) < 0) {
      throw Cures.failure(name, outcome.errno());
    }
    return status(outcome);
  }

  /** Calls a function that waits and returns a count. Returns 0 if a signal ended the wait. */
  public int count(Object... arguments) throws VerbsException {
    Outcome outcome = call(arguments);
    if (status(outcome) < 0 && outcome.errno() != Errno.EINTR) {
      throw Cures.failure(name, outcome.errno());
    }
    return Math.max(status(outcome), 0);
  }

  /** Wraps an exception of a method handle. An unchecked exception or an error is rethrown. */
  static IllegalStateException unexpected(Throwable thrown) {
    return switch (thrown) {
      case RuntimeException fault -> throw fault;
      case Error error -> throw error;
      default -> new IllegalStateException(thrown);
    };
  }
}
