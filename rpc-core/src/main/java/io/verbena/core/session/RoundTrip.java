package io.verbena.core.session;

import io.verbena.core.frame.FrameKind;
import io.verbena.link.runtime.NanoClock;
import java.util.ArrayList;
import java.util.List;

/**
 * Measures what it takes to ask the peer over one link and to hear from it: the best of a few
 * times, since all that disturbs a measurement makes it longer.
 */
final class RoundTrip {
  private static final int SAMPLES = 16;

  private final SessionLink sessionLink;
  private final NanoClock clock;
  private final List<Runnable> waiting = new ArrayList<>();
  private int left;
  private boolean asking;
  private long askedNanos;
  private long best = Long.MAX_VALUE;

  RoundTrip(SessionLink sessionLink, NanoClock clock) {
    this.sessionLink = sessionLink;
    this.clock = clock;
  }

  /** Begins, or begins again; hears when it is done. Never, if the link is lost meanwhile. */
  void measure(Runnable then) {
    waiting.add(then);
    left = SAMPLES;
    ask();
  }

  private void ask() {
    if (!asking) {
      askedNanos = clock.nanoTime();
      asking = sessionLink.say(FrameKind.PING);
    }
  }

  /** The peer has answered, a question of ours or of the link's keeper. */
  void answered() {
    if (!asking) {
      return;
    }
    asking = false;
    best = Math.min(best, clock.nanoTime() - askedNanos);
    left--;
    if (left > 0) {
      ask();
    } else {
      List<Runnable> told = List.copyOf(waiting);
      waiting.clear();
      told.forEach(Runnable::run);
    }
  }

  /** Returns the shortest in nanoseconds; 0 while none is known. */
  long nanos() {
    return best == Long.MAX_VALUE ? 0 : best;
  }
}
