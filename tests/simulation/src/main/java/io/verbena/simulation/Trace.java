package io.verbena.simulation;

import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Prints the events of a run with their times. */
final class Trace {
  private final LongSupplier clock;
  private final @Nullable Consumer<String> out;

  Trace(LongSupplier clock, @Nullable Consumer<String> out) {
    this.clock = clock;
    this.out = out;
  }

  void say(Supplier<String> words) {
    if (out != null) {
      double millis = clock.getAsLong() / 1e6;
      out.accept("%12.4f ms  %s".formatted(millis, words.get()));
    }
  }
}
