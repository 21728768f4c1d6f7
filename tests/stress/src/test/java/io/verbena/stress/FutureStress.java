package io.verbena.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;

import io.verbena.core.bulk.FencedFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIII_Result;
import org.openjdk.jcstress.infra.results.II_Result;

/** A call's completion against whoever else ends its future: a cancellation, a time-out, a user. */
public final class FutureStress {
  private FutureStress() {}

  static final class Future extends FencedFuture<Integer> {
    final AtomicInteger ends = new AtomicInteger();
    private final boolean fenced;

    Future(boolean fenced) {
      this.fenced = fenced;
    }

    @Override
    protected boolean isFenced() {
      return fenced;
    }

    @Override
    protected void end() {
      ends.incrementAndGet();
    }

    int outcome() {
      return isCompletedExceptionally() ? -1 : getNow(0);
    }
  }

  private static int told(boolean itWas) {
    return itWas ? 1 : 0;
  }

  /** With a fence: one of them has it, is told so, and what it stands for ends once at most. */
  @JCStressTest
  @State
  @Outcome(id = "1, 0, 0, 1", expect = ACCEPTABLE, desc = "The reply; nobody ended it.")
  @Outcome(id = "0, 1, 1, 2", expect = ACCEPTABLE, desc = "The user's value, when it was fenced.")
  @Outcome(id = "0, 0, 1, -1", expect = ACCEPTABLE, desc = "Cancelled, when it was fenced.")
  public static class Fenced {
    private final Future future = new Future(true);

    @Actor
    public void reply(IIII_Result r) {
      r.r1 = told(future.settle(1));
    }

    @Actor
    public void user(IIII_Result r) {
      r.r2 = told(future.complete(2));
    }

    @Actor
    public void canceller() {
      future.cancel(true);
    }

    @Arbiter
    public void after(IIII_Result r) {
      if (!future.isDone()) {
        future.settle(9); // whom it was ended for waits for its fence
      }
      r.r3 = future.ends.get();
      r.r4 = future.outcome();
    }
  }

  /** Without a fence the same, at once. */
  @JCStressTest
  @State
  @Outcome(id = "1, 0, 0, 1", expect = ACCEPTABLE, desc = "The reply; nobody ended it.")
  @Outcome(id = "0, 1, 1, 2", expect = ACCEPTABLE, desc = "The user's value.")
  @Outcome(id = "0, 0, 1, -1", expect = ACCEPTABLE, desc = "Cancelled.")
  public static class Open {
    private final Future future = new Future(false);

    @Actor
    public void reply(IIII_Result r) {
      r.r1 = told(future.settle(1));
    }

    @Actor
    public void user(IIII_Result r) {
      r.r2 = told(future.complete(2));
    }

    @Actor
    public void canceller() {
      future.cancel(true);
    }

    @Arbiter
    public void after(IIII_Result r) {
      r.r3 = future.ends.get();
      r.r4 = future.outcome();
    }
  }

  /**
   * The last obtruded outcome stays, whether its owner settles the future before, between or after.
   */
  @JCStressTest
  @State
  @Outcome(id = "3, 0", expect = ACCEPTABLE, desc = "Settled first: there was nothing to end.")
  @Outcome(id = "3, 1", expect = ACCEPTABLE, desc = "Obtruded first: that has ended it.")
  public static class Obtruded {
    private final Future future = new Future(true);

    @Actor
    public void owner() {
      future.settle(1);
    }

    @Actor
    public void user() {
      future.obtrudeValue(2);
      future.obtrudeValue(3);
    }

    @Arbiter
    public void after(II_Result r) {
      r.r1 = future.outcome();
      r.r2 = future.ends.get();
    }
  }
}
