package io.verbena.core.loop;

/**
 * A task for an event loop. Long-lived objects implement it, so that handing it over allocates
 * nothing.
 */
@FunctionalInterface
public interface Command {
  /** Runs on the loop's thread. */
  void run();
}
