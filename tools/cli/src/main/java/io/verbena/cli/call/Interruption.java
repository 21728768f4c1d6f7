package io.verbena.cli.call;

import io.verbena.core.VerbenaClient;

/**
 * Closes a client when a signal ends the process (SIGINT, SIGTERM). The server then knows at once
 * that the session has ended; it would wait for a lost connection to come back. {@link #close}
 * removes the shutdown hook.
 */
final class Interruption implements AutoCloseable {
  private final Thread hook;
  private volatile boolean came;

  Interruption(VerbenaClient client) {
    hook =
        new Thread(
            () -> {
              came = true;
              client.close();
            },
            "verbena-call-interrupted");
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /** Returns whether a signal ends the process. Failures from now on have this cause. */
  boolean came() {
    return came;
  }

  @Override
  public void close() {
    if (!came) {
      try {
        Runtime.getRuntime().removeShutdownHook(hook);
      } catch (IllegalStateException endsNow) {
        // The hook runs.
      }
    }
  }
}
