package io.verbena.core.bulk.work;

import io.verbena.core.loop.EventLoop;
import io.verbena.core.loop.Workers;
import java.util.concurrent.Executor;

/** Where the work of one session's transfers runs. Safe for use by any thread. */
public interface Threads {
  /** Returns the loop that owns the session. */
  EventLoop loop();

  /** Returns what runs users' code. */
  Executor handlers();

  /** Returns what does this engine's own work elsewhere than on the loop. */
  Workers workers();
}
