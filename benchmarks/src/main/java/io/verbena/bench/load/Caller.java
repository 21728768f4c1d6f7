package io.verbena.bench.load;

/** One connection of a contestant. */
public interface Caller extends AutoCloseable {
  /**
   * Starts a call, and ends it when its answer has come, on whatever thread. Safe for use by any
   * thread.
   */
  void start(Call call);

  /** Makes a call and waits until it has ended. Safe for use by any thread. */
  default void exchange(Call call) throws InterruptedException {
    start(call);
    call.await();
  }

  /**
   * Waits until all that was handed over has arrived, where the kind of call does not tell.
   *
   * @throws IllegalStateException if something was lost
   */
  default void settle() {}

  /** Returns how many bytes have been moved beside the calls so far. Safe for use by any thread. */
  default long bytesBeside() {
    return 0;
  }

  /** Returns what carries the calls, and why. */
  String path();

  @Override
  void close();
}
