package io.verbena.bench.load;

/** One connection of a contestant. */
public interface Caller extends AutoCloseable {
  /**
   * Starts a call. Any thread may end it after its answer has arrived. Safe for use by any thread.
   */
  void start(Call call);

  /** Makes a call and waits until it has ended. Safe for use by any thread. */
  default void exchange(Call call) throws InterruptedException {
    start(call);
    call.await();
  }

  /**
   * Waits until all messages have arrived, if the calls themselves have no answers.
   *
   * @throws IllegalStateException if a message was lost
   */
  default void settle() {}

  /** Returns the bytes that were moved beside the calls so far. Safe for use by any thread. */
  default long bytesBeside() {
    return 0;
  }

  /** Returns the path of the calls, with the reason. */
  String path();

  @Override
  void close();
}
