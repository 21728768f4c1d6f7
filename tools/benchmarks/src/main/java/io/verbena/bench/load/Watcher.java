package io.verbena.bench.load;

/** Receives the progress of a turn, on the thread that runs it. */
public interface Watcher {
  /** Watches nothing. */
  Watcher NONE = new Watcher() {};

  /** Called when counting begins. */
  default void opened() {}

  /** Called about once a second. */
  default void progress(long calls, double seconds) {}

  /** Called when counting ends. */
  default void closed() {}
}
