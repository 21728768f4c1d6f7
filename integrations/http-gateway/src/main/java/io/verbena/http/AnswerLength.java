package io.verbena.http;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * How long the answers of one method are as JSON, learned from those that were made. Memory for the
 * next is reserved before its call. Safe for use by any thread.
 */
final class AnswerLength {
  /** Calls that come before the method's first answer wait for it, but not for a slow one. */
  private static final long FIRST_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  /** A long answer counts for less with each shorter one after it. */
  private static final int FORGETTING = 8;

  private final AtomicBoolean begun = new AtomicBoolean();
  private final CountDownLatch answered = new CountDownLatch(1);
  private long expected;

  /** Returns what the next answer may take, in bytes; 0 before the first. */
  long expected() throws InterruptedException {
    if (begun.getAndSet(true)) {
      boolean _ = answered.await(FIRST_NANOS, TimeUnit.NANOSECONDS);
    }
    synchronized (this) {
      return expected;
    }
  }

  /** An answer has been made. */
  synchronized void made(long length) {
    expected = Math.max(length, expected - expected / FORGETTING);
  }

  /** A call has ended, whether it made an answer or not. */
  void ended() {
    answered.countDown();
  }
}
