package io.verbena.bench.load;

/** Where the server's handler runs. */
public enum Handler {
  /** On the event loop. */
  NONBLOCKING,
  /** On a virtual thread of its own. */
  VIRTUAL
}
