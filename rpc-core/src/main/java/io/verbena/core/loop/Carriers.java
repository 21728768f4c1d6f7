package io.verbena.core.loop;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * The carriers of virtual threads, of which those that step loops may hold at most half. Safe for
 * use by any thread.
 */
public final class Carriers {
  /** Those of this process. */
  static final Carriers OF_PROCESS =
      new Carriers(
          Runtime.getRuntime().availableProcessors(),
          Integer.getInteger(
              "jdk.virtualThreadScheduler.parallelism",
              Runtime.getRuntime().availableProcessors()));

  private final boolean several;
  private final int most;
  private final AtomicInteger held = new AtomicInteger();

  /**
   * Makes the carriers of one process.
   *
   * @param processors the number of processors
   * @param carriers the number of carriers
   */
  public Carriers(int processors, int carriers) {
    this.several = processors > 1;
    this.most = carriers / 2;
  }

  /** Returns whether a peer has a processor while a caller spins. */
  boolean letSpin() {
    return several;
  }

  /** Holds a carrier; returns false if too many are held. */
  boolean hold() {
    if (held.incrementAndGet() > most) {
      held.decrementAndGet();
      return false;
    }
    return true;
  }

  void letGo() {
    held.decrementAndGet();
  }
}
