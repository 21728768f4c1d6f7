package io.verbena.verbs.ffm.lib;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.util.Arrays;

/** A shared library of the distribution. It stays open until the process ends. */
final class NativeLibrary {
  private static final Linker LINKER = Linker.nativeLinker();

  private final String soname;
  private final SymbolLookup symbols;

  /** Opens {@code soname}. Throws IllegalArgumentException if the loader does not find it. */
  NativeLibrary(String soname) {
    this(soname, SymbolLookup.libraryLookup(soname, Arena.global()));
  }

  NativeLibrary(String soname, SymbolLookup symbols) {
    this.soname = soname;
    this.symbols = symbols;
  }

  /** Returns whether the loader finds a library, and if so, opens it for good. */
  static boolean isThere(String soname) {
    try {
      SymbolLookup.libraryLookup(soname, Arena.global());
      return true;
    } catch (IllegalArgumentException notFound) {
      return false;
    }
  }

  /** Returns the C library, which is always there. */
  static NativeLibrary libc() {
    return new NativeLibrary("libc", LINKER.defaultLookup());
  }

  /** Binds a function that returns a pointer. */
  Verb pointer(String function, MemoryLayout... arguments) {
    return control(function, FunctionDescriptor.of(ADDRESS, arguments));
  }

  /** Binds a function that returns a status, a descriptor or a count. */
  Verb status(String function, MemoryLayout... arguments) {
    return control(function, FunctionDescriptor.of(JAVA_INT, arguments));
  }

  Verb nothing(String function, MemoryLayout... arguments) {
    return control(function, FunctionDescriptor.ofVoid(arguments));
  }

  Verb control(String function, FunctionDescriptor shape, Linker.Option... more) {
    Linker.Option[] options = Arrays.copyOf(more, more.length + 1);
    options[more.length] = Verb.ERRNO;
    return Verb.of(function, LINKER.downcallHandle(symbol(function), shape, options));
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
