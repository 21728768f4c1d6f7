package io.verbena.bench.load;

/** The memory or files of large objects. */
public enum Memory {
  /** The same memory each time. A link may keep it registered. */
  WARM,
  /** New memory each time. */
  COLD,
  /** From a file, into warm memory. */
  FILE,
  /** From one file into another. */
  FILES
}
