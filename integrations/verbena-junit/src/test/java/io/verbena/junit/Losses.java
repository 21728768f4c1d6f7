package io.verbena.junit;

import io.verbena.api.Session;
import io.verbena.api.SessionListener;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Hears of a session's lost connections. */
final class Losses implements SessionListener {
  private final CountDownLatch lost = new CountDownLatch(1);

  @Override
  public void lost(Session session, String reason) {
    lost.countDown();
  }

  /** Returns whether there was one. */
  boolean any() {
    return lost.getCount() == 0;
  }

  /** Returns whether there was one, or is within 10 s. */
  boolean await() throws InterruptedException {
    return lost.await(10, TimeUnit.SECONDS);
  }
}
