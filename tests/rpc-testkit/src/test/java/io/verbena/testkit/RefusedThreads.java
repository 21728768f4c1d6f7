package io.verbena.testkit;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Refuses new threads to the thread that makes this object, and to the threads that it has made
 * since: the JDK has each new thread inherit it, which fails as the system's own refusal would. The
 * JUnit runner makes threads too, so that a test must not end before threads are to be had again.
 */
public final class RefusedThreads extends InheritableThreadLocal<Object> implements AutoCloseable {
  /** The system's answer. */
  public static final String WORDS = "unable to create native thread";

  private final AtomicInteger left = new AtomicInteger(Integer.MAX_VALUE);
  private final Runnable whenRefused;

  /**
   * One that refuses none yet.
   *
   * @param whenRefused runs each time, on the thread that wants another
   */
  public RefusedThreads(Runnable whenRefused) {
    this.whenRefused = whenRefused;
    set("what threads inherit");
  }

  /** Refuses threads from now on, but for so many more. */
  public void after(int threads) {
    left.set(threads);
  }

  /** Refuses no more. */
  public void allow() {
    left.set(Integer.MAX_VALUE);
  }

  @Override
  protected Object childValue(Object parent) {
    if (left.getAndDecrement() <= 0) {
      whenRefused.run();
      throw new OutOfMemoryError(WORDS);
    }
    return parent;
  }

  @Override
  public void close() {
    allow();
    remove();
  }
}
