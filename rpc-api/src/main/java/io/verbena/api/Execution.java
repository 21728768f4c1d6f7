package io.verbena.api;

/** What is certain about a failed call's execution on the other end. */
public enum Execution {
  /** The handler did not start and will not: calling again is always safe. */
  NOT_EXECUTED,
  /** The handler may have run, may be running, or may never run. */
  UNKNOWN,
  /** The handler ran to its end, which was an error. */
  EXECUTED
}
