package io.verbena.bench.soak;

import io.verbena.core.link.UpgradeProvider;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A server, and what can be done to it. For one thread. */
interface SoakWorld extends AutoCloseable {
  /** Returns where it listens, as {@code host:port}. */
  String address();

  /** Returns what the client's better links are made by; null: there are none. */
  @Nullable UpgradeProvider upgrades();

  /** Returns whether the server has a process of its own, to be killed and stopped. */
  boolean hasProcess();

  /** Kills the server's process, and starts another at the same address after so long. */
  void restart(long pauseMillis) throws IOException, InterruptedException;

  /** Stops the server's process for so long. */
  void pause(long millis) throws IOException, InterruptedException;

  @Override
  void close() throws IOException;
}
