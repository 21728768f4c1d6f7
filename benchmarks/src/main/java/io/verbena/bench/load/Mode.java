package io.verbena.bench.load;

/** How calls are made. */
public enum Mode {
  /** Without a thread per call: each answer starts the next call. */
  ASYNC,
  /** Each by a virtual thread that waits for the answer. */
  VIRTUAL,
  /** Each by a platform thread that waits for the answer. */
  PLATFORM
}
