package io.verbena.verbs.ffm.lib;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;

/** A shared library of the distribution, open for as long as the process lives. */
final class NativeLibrary {
  private static final Linker LINKER = Linker.nativeLinker();
  static final Linker.Option ERRNO = Linker.Option.captureCallState("errno");

  private final String soname;
  private final SymbolLookup symbols;

  /** Opens {@code soname}; an IllegalArgumentException when the loader does not find it. */
  NativeLibrary(String soname) {
    this(soname, SymbolLookup.libraryLookup(soname, Arena.global()));
  }

  NativeLibrary(String soname, SymbolLookup symbols) {
    this.soname = soname;
    this.symbols = symbols;
  }

  /** Whether the loader finds it; opens it for good if so. */
  static boolean isThere(String soname) {
    try {
      SymbolLookup.libraryLookup(soname, Arena.global());
      return true;
    } catch (IllegalArgumentException notFound) {
      return false;
    }
  }

  /** The C library, which is always there. */
  static NativeLibrary libc() {
    return new NativeLibrary("libc", LINKER.defaultLookup());
  }

  /** A control call: its first argument is the segment that takes errno. */
  MethodHandle control(String function, FunctionDescriptor shape) {
    return LINKER.downcallHandle(symbol(function), shape, ERRNO);
  }

  /** A plain call, whose errno nobody reads. */
  MethodHandle plain(String function, FunctionDescriptor shape, Linker.Option... options) {
    return LINKER.downcallHandle(symbol(function), shape, options);
  }

  private MemorySegment symbol(String function) {
    return symbols
        .find(function)
        .orElseThrow(
            () ->
                new IllegalStateException(
                    soname + " has no " + function + ". Install rdma-core 17 or newer."));
  }
}
