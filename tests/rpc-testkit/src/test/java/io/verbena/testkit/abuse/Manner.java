package io.verbena.testkit.abuse;

/** How somebody behaves on a connection of his own. */
@FunctionalInterface
interface Manner {
  /**
   * Returns what to say, in a connection's second of this number, counted from 0; empty for
   * nothing.
   */
  byte[] says(int second);

  /** Returns whether what comes is read. */
  default boolean reads() {
    return true;
  }

  /** Returns from which second on this is in effect. */
  default int inEffectFrom() {
    return 0;
  }
}
