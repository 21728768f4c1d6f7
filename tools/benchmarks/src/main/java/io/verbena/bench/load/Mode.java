package io.verbena.bench.load;

/** The callers of a load. */
public enum Mode {
  /** No thread for each call. Each answer starts the next call. */
  ASYNC,
  /** Virtual threads that wait for answers. */
  VIRTUAL,
  /** Platform threads that wait for answers. */
  PLATFORM
}
