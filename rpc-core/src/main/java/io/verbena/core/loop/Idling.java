package io.verbena.core.loop;

import io.verbena.link.runtime.NanoClock;
import java.time.Duration;

/** When an event loop that finds no work waits in the kernel. */
public sealed interface Idling {
  /** As long as what was measured makes worth while, where sessions have upgraded; else at once. */
  Idling ADAPTIVE = new Adaptive();

  /** Never. */
  Idling POLLING = new Polling();

  /** After it has looked for work for a fixed time. */
  static Idling spinning(Duration atMost) {
    return new Spinning(NanoClock.nanos(atMost));
  }

  /** See {@link #ADAPTIVE}. */
  record Adaptive() implements Idling {}

  /** See {@link #spinning}. */
  record Spinning(long nanos) implements Idling {}

  /** See {@link #POLLING}. */
  record Polling() implements Idling {}
}
