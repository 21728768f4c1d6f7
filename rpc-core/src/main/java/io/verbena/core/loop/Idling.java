package io.verbena.core.loop;

import io.verbena.link.runtime.NanoClock;
import java.time.Duration;

/** The time after which an idle event loop waits in the kernel. */
public sealed interface Idling {
  /** A measured time if sessions use better links, else at once. */
  Idling ADAPTIVE = new Adaptive();

  /** Never: the loop polls for ever. */
  Idling POLLING = new Polling();

  /** Returns a fixed time of polling. */
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
