package io.verbena.bench.load;

/** The thread of the server's handler. */
public enum Handler {
  /** On the event loop. */
  NONBLOCKING,
  /** On a new virtual thread. */
  VIRTUAL
}
