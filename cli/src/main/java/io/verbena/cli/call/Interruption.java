package io.verbena.cli.call;

import io.verbena.core.VerbenaClient;

/**
 * Ends a client in order where the process is told to end (SIGINT, SIGTERM), so that the server
 * hears of it at once: for it a lost connection might come back. Closing takes the hook away.
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

  /** Returns whether the process is about to end: what fails now fails for that. */
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
