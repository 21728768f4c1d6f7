package io.verbena.core.bulk.transfer;

import java.util.function.BooleanSupplier;

/** Does something once more where it is asked to from within itself. On the loop. */
final class ReentryGuard {
  private final BooleanSupplier may;
  private final Runnable once;
  private boolean running;
  private boolean again;

  ReentryGuard(BooleanSupplier may, Runnable once) {
    this.may = may;
    this.once = once;
  }

  void run() {
    again = true;
    if (running) {
      return;
    }
    running = true;
    while (again && may.getAsBoolean()) {
      again = false;
      once.run();
    }
    running = false;
  }
}
