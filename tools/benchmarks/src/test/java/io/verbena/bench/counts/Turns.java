package io.verbena.bench.counts;

import org.jspecify.annotations.Nullable;

/** How often it was another end's turn to send a frame. For one thread. */
final class Turns {
  private @Nullable Object last;
  private int count;

  void sent(Object who) {
    if (who != last) {
      last = who;
      count++;
    }
  }

  /** Returns how many there were: two make a round trip. */
  int count() {
    return count;
  }
}
