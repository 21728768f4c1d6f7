package io.verbena.bench.load;

/** Where large objects come from and go to. */
public enum Memory {
  /** The same memory each time: a link may keep it registered. */
  WARM,
  /** New memory each time. */
  COLD,
  /** From a file, into warm memory. */
  FILE,
  /** From one file into another. */
  FILES
}
