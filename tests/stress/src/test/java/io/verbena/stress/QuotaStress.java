package io.verbena.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;

import io.verbena.link.memory.MemoryBudget;
import io.verbena.link.memory.Quota;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZJ_Result;
import org.openjdk.jcstress.infra.results.ZZJ_Result;

/** Memory that sessions share. */
public final class QuotaStress {
  private QuotaStress() {}

  /** A quota of 16, of which each is guaranteed 2 and 8 are lent. */
  public static class Two {
    final Quota quota = new Quota(16, 0);
    final Quota.Share first = quota.join(new Nobody());
    final Quota.Share second = quota.join(new Nobody());

    private static final class Nobody implements Quota.Holder {
      @Override
      public String peer() {
        return "nobody";
      }

      @Override
      public void wanted() {}
    }
  }

  /** A request for more than the rest fails alone. */
  @JCStressTest
  @State
  @Outcome(id = "false, true, 4", expect = ACCEPTABLE, desc = "What fits is had.")
  public static class TooMuch extends Two {
    @Actor
    public void greedy(ZZJ_Result r) {
      r.r1 = first.take(100);
    }

    @Actor
    public void modest(ZZJ_Result r) {
      r.r2 = second.take(4);
    }

    @Arbiter
    public void after(ZZJ_Result r) {
      r.r3 = quota.taken();
    }
  }

  /** The same of what is merely borrowed. */
  @JCStressTest
  @State
  @Outcome(id = "false, true, 4", expect = ACCEPTABLE, desc = "What fits is had.")
  public static class TooMuchBorrowed extends Two {
    @Actor
    public void greedy(ZZJ_Result r) {
      r.r1 = first.borrow(100);
    }

    @Actor
    public void modest(ZZJ_Result r) {
      r.r2 = second.take(4);
    }

    @Arbiter
    public void after(ZZJ_Result r) {
      r.r3 = quota.taken();
    }
  }

  /** Of two that do not fit together one has it. */
  @JCStressTest
  @State
  @Outcome(id = "true, false, 8", expect = ACCEPTABLE, desc = "The first.")
  @Outcome(id = "false, true, 8", expect = ACCEPTABLE, desc = "The second.")
  public static class OneOfTwo extends Two {
    @Actor
    public void one(ZZJ_Result r) {
      r.r1 = first.take(8);
    }

    @Actor
    public void other(ZZJ_Result r) {
      r.r2 = second.take(8);
    }

    @Arbiter
    public void after(ZZJ_Result r) {
      r.r3 = quota.taken();
    }
  }

  /** Threads of one session take and give back: nothing is left, and nothing is lost. */
  @JCStressTest
  @State
  @Outcome(id = "true, 0", expect = ACCEPTABLE, desc = "All is back.")
  public static class GivenBack extends Two {
    private volatile boolean sound = true;

    @Actor
    public void one() {
      takeAndGive(first, 5);
    }

    @Actor
    public void other() {
      takeAndGive(first, 3);
    }

    @Actor
    public void another() {
      second.takeAnyway(20);
      second.give(20);
    }

    private void takeAndGive(Quota.Share share, long amount) {
      if (share.take(amount)) {
        sound &= share.held() >= amount;
        share.give(amount);
      }
    }

    @Arbiter
    public void after(ZJ_Result r) {
      r.r1 = sound && first.held() == 0 && second.held() == 0;
      r.r2 = quota.taken();
    }
  }

  /** A waiter gets released memory, whether it is notified or looks in time. */
  @JCStressTest
  @State
  @Outcome(id = "true, 8", expect = ACCEPTABLE, desc = "It has it.")
  public static class Freed extends Two {
    private volatile boolean had;

    /** Somebody has it. */
    public Freed() {
      first.takeAnyway(8);
      first.takeAnyway(2);
    }

    private void look() {
      if (second.take(8)) {
        had = true;
      }
    }

    @Actor
    public void owner() {
      first.give(10);
    }

    @Actor
    public void waiter() {
      second.waiters().place(Runnable::run, this::look).join(() -> second.beyond(8));
    }

    @Arbiter
    public void after(ZJ_Result r) {
      r.r1 = had;
      r.r2 = quota.taken();
    }
  }

  /** The same of registered memory: who asks for more than there is fails alone. */
  @JCStressTest
  @State
  @Outcome(id = "false, true, 4", expect = ACCEPTABLE, desc = "What fits is had.")
  public static class Budget {
    private final MemoryBudget budget = new MemoryBudget(10);

    @Actor
    public void greedy(ZZJ_Result r) {
      r.r1 = budget.reserve(100);
    }

    @Actor
    public void modest(ZZJ_Result r) {
      r.r2 = budget.reserve(4);
    }

    @Arbiter
    public void after(ZZJ_Result r) {
      r.r3 = budget.reserved();
    }
  }
}
