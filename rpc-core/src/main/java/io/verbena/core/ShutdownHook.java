package io.verbena.core;

import org.jspecify.annotations.Nullable;

/** What is to be done before the process ends. Safe for use by any thread. */
final class ShutdownHook {
  private ShutdownHook() {}

  /** Returns the thread that the process will start when it ends; null if it ends already. */
  static @Nullable Thread add(String name, Runnable task) {
    Thread hook = new Thread(task, name);
    try {
      Runtime.getRuntime().addShutdownHook(hook);
      return hook;
    } catch (IllegalStateException e) {
      return null;
    }
  }

  /** Has it not done any more. */
  static void remove(@Nullable Thread hook) {
    if (hook != null) {
      try {
        Runtime.getRuntime().removeShutdownHook(hook);
      } catch (IllegalStateException e) {
        // The process ends, maybe by this very thread.
      }
    }
  }
}
