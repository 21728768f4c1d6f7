package io.verbena.bench.verbena;

import java.time.Duration;
import java.util.function.Consumer;

/**
 * The idling of the event loops of a client or server.
 *
 * @param spin the time for which an idle loop polls before it waits in the kernel; zero for the
 *     default of Verbena
 * @param always whether loops never wait
 */
public record Idling(Duration spin, boolean always) {
  /** The default of Verbena. */
  public static final Idling AS_IT_COMES = new Idling(Duration.ZERO, false);

  /** Loops never wait. */
  public static final Idling ALWAYS_POLLING = new Idling(Duration.ZERO, true);

  /** Configures a builder through two of its methods. */
  void tell(Consumer<Duration> spins, Runnable pollAlways) {
    if (always) {
      pollAlways.run();
    } else if (spin.isPositive()) {
      spins.accept(spin);
    }
  }
}
