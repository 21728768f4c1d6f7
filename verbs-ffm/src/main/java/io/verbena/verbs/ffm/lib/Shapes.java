package io.verbena.verbs.ffm.lib;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemoryLayout;

/** The signatures of C functions in short. */
final class Shapes {
  private Shapes() {}

  static FunctionDescriptor pointer(MemoryLayout... arguments) {
    return FunctionDescriptor.of(ADDRESS, arguments);
  }

  static FunctionDescriptor status(MemoryLayout... arguments) {
    return FunctionDescriptor.of(JAVA_INT, arguments);
  }

  static FunctionDescriptor nothing(MemoryLayout... arguments) {
    return FunctionDescriptor.ofVoid(arguments);
  }
}
