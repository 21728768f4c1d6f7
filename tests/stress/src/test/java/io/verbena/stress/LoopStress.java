package io.verbena.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.verbena.core.loop.EventLoop;
import io.verbena.link.LinkDriver;
import io.verbena.link.LinkOptions;
import io.verbena.link.LinkProvider;
import io.verbena.link.runtime.NanoClock;
import java.net.URI;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** The mailbox of an event loop. */
public final class LoopStress {
  private static final long LONG = 1_000_000_000L;

  private LoopStress() {}

  /** A loop whose driver notes that it is woken. */
  public static class Loop {
    volatile boolean woken;
    final AtomicInteger ran = new AtomicInteger();
    final EventLoop loop = new EventLoop("stressed", NanoClock.SYSTEM, new Links());

    private final class Links implements LinkProvider, LinkDriver {
      @Override
      public String scheme() {
        return "none";
      }

      @Override
      public LinkDriver newDriver(Runnable wakeLoop) {
        return this;
      }

      @Override
      public int poll() {
        return 0;
      }

      @Override
      public int await(long nanos) {
        return 0;
      }

      @Override
      public void wakeup() {
        woken = true;
      }

      @Override
      public void connect(URI address, LinkOptions options, ConnectHandler handler) {
        throw new UnsupportedOperationException();
      }

      @Override
      public Listening listen(URI address, LinkOptions options, AcceptHandler handler) {
        throw new UnsupportedOperationException();
      }

      @Override
      public void close() {}
    }
  }

  /** No wake-up is lost: a loop that goes to wait while something is handed over is woken. */
  @JCStressTest
  @State
  @Outcome(id = "true, true", expect = ACCEPTABLE, desc = "It waits, and is woken.")
  @Outcome(id = "false, true", expect = ACCEPTABLE, desc = "It saw the command, and is woken too.")
  @Outcome(id = "false, false", expect = ACCEPTABLE, desc = "It saw the command.")
  @Outcome(id = "true, false", expect = FORBIDDEN, desc = "It waits, and nobody wakes it.")
  public static class Wakeup extends Loop {
    @Actor
    public void loop(ZZ_Result r) {
      r.r1 = loop.beginWait(LONG) > 0;
    }

    @Actor
    public void other() {
      loop.execute(ran::incrementAndGet);
    }

    @Arbiter
    public void after(ZZ_Result r) {
      r.r2 = woken;
    }
  }

  /** A command that meets the loop's end is run once, by the one or the other. */
  @JCStressTest
  @State
  @Outcome(id = "2", expect = ACCEPTABLE, desc = "Both have run, once each.")
  public static class Close extends Loop {
    @Actor
    public void loop() {
      loop.onClose();
    }

    @Actor
    public void other() {
      loop.execute(ran::incrementAndGet);
    }

    @Actor
    public void another() {
      loop.execute(ran::incrementAndGet);
    }

    @Arbiter
    public void after(I_Result r) {
      r.r1 = ran.get();
    }
  }

  /** All commands of two threads run, in the order of each. */
  @JCStressTest
  @State
  @Outcome(id = "4, 0", expect = ACCEPTABLE, desc = "All of it, in order.")
  public static class Order extends Loop {
    private int wrong;
    private int lastOfFirst;
    private int lastOfSecond;

    @Actor
    public void first() {
      loop.execute(() -> lastOfFirst = next(lastOfFirst, 1));
      loop.execute(() -> lastOfFirst = next(lastOfFirst, 2));
    }

    @Actor
    public void second() {
      loop.execute(() -> lastOfSecond = next(lastOfSecond, 1));
      loop.execute(() -> lastOfSecond = next(lastOfSecond, 2));
    }

    private int next(int last, int number) {
      ran.incrementAndGet();
      wrong += last + 1 == number ? 0 : 1;
      return number;
    }

    @Actor
    public void loop() {
      loop.doWork();
    }

    @Arbiter
    public void after(II_Result r) {
      loop.doWork();
      r.r1 = ran.get();
      r.r2 = wrong;
    }
  }
}
