package io.verbena.bench.verbena;

import java.time.Duration;
import java.util.function.Consumer;

/**
 * How the event loops of a client or a server idle.
 *
 * @param spin how long one looks for work before it waits in the kernel; zero: as it does when it
 *     is not told
 * @param always whether they never wait
 */
public record Idling(Duration spin, boolean always) {
  /** As they do when they are not told. */
  public static final Idling AS_IT_COMES = new Idling(Duration.ZERO, false);

  /** They never wait. */
  public static final Idling ALWAYS_POLLING = new Idling(Duration.ZERO, true);

  /** Tells a builder, by these two methods of its. */
  void tell(Consumer<Duration> spins, Runnable pollAlways) {
    if (always) {
      pollAlways.run();
    } else if (spin.isPositive()) {
      spins.accept(spin);
    }
  }
}
