package io.verbena.core.loop;

/**
 * Something for an event loop to do. Long-lived objects implement it, so that handing over is free.
 */
@FunctionalInterface
public interface Command {
  /** Runs on the loop's thread. */
  void run();
}
