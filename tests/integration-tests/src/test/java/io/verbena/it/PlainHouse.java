package io.verbena.it;

import io.verbena.api.CallContext;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.CountDownLatch;

/** Answers by the book; tests override what they look at. */
class PlainHouse implements House {
  @Override
  public long add(long number) {
    return number + 1;
  }

  @Override
  public String stay() {
    try {
      new CountDownLatch(1).await();
      throw new AssertionError("nobody counts down");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return "interrupted";
    }
  }

  @Override
  public String whoAmI() {
    return CallContext.current().session().peer().identity();
  }

  @Override
  public MemorySegment same(MemorySegment value) {
    return value;
  }

  @Override
  public String say(String text) {
    return text;
  }
}
