package io.verbena.bench.load;

/** Is told how a turn goes, on the thread that runs it. */
public interface Watcher {
  /** Watches nothing. */
  Watcher NONE = new Watcher() {};

  /** Calls are counted from now on. */
  default void opened() {}

  /** Called about each second. */
  default void progress(long calls, double seconds) {}

  /** Calls are counted no more. */
  default void closed() {}
}
