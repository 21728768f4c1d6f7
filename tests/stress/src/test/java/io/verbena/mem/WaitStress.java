package io.verbena.mem;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.verbena.link.runtime.NanoClock;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** A thread that waits for links, and another that has a letter for it. */
public final class WaitStress {
  /** Longer than any machine keeps a thread from running that may. */
  private static final long LOST_NANOS = TimeUnit.SECONDS.toNanos(5);

  private WaitStress() {}

  /** Whenever the letter comes, the thread does not wait for long, and the letter is read. */
  @JCStressTest
  @State
  @Outcome(id = "false, true", expect = ACCEPTABLE, desc = "It is woken, and has read the letter.")
  @Outcome(id = "false, false", expect = ACCEPTABLE, desc = "Another permit woke it before.")
  @Outcome(id = "true, .*", expect = FORBIDDEN, desc = "It slept on.")
  public static class Letter {
    private final InMemoryNetwork network =
        new InMemoryNetwork(NanoClock.SYSTEM, 1, 64, LockSupport::parkNanos);
    private final InMemoryDriver driver = new InMemoryDriver(network, this::wake);
    private volatile boolean read;

    private void wake() {
      driver.wakeup();
    }

    @Actor
    public void loop(ZZ_Result r) {
      long since = System.nanoTime();
      driver.await(LOST_NANOS);
      r.r1 = System.nanoTime() - since >= LOST_NANOS;
      r.r2 = read;
    }

    @Actor
    public void other() {
      driver.post(() -> read = true);
    }
  }
}
