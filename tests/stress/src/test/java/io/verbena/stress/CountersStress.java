package io.verbena.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;

import io.verbena.core.call.CallCounters;
import io.verbena.core.call.CallCounters.What;
import io.verbena.core.call.CallWindow;
import io.verbena.link.runtime.NanoClock;
import io.verbena.link.runtime.ThrottledLog;
import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.IJ_Result;
import org.openjdk.jcstress.infra.results.JJ_Result;
import org.slf4j.Logger;

/** Counters that many threads change. */
public final class CountersStress {
  private CountersStress() {}

  /** Every lost one-way call is counted, in its session and in the whole. */
  @JCStressTest
  @State
  @Outcome(id = "3, 3", expect = ACCEPTABLE, desc = "All of them.")
  public static class Oneways {
    private final CallCounters whole = new CallCounters();
    private final CallCounters part = new CallCounters(whole);

    @Actor
    public void loop() {
      part.add(What.REFUSED, 1);
    }

    @Actor
    public void handler() {
      part.add(What.REFUSED, 2);
    }

    @Arbiter
    public void after(JJ_Result r) {
      r.r1 = part.stat().refused();
      r.r2 = whole.stat().refused();
    }
  }

  /** With room for one line more, one is written; all are counted. */
  @JCStressTest
  @State
  @Outcome(id = "10, 12", expect = ACCEPTABLE, desc = "One of three is the last.")
  public static class Log {
    private final AtomicInteger lines = new AtomicInteger();
    private final ThrottledLog log;

    /** Nearly full. */
    public Log() {
      NanoClock still = () -> 0;
      Class<?>[] types = {Logger.class};
      Logger logger =
          (Logger)
              Proxy.newProxyInstance(
                  Logger.class.getClassLoader(),
                  types,
                  (_, _, _) -> {
                    lines.incrementAndGet();
                    return null;
                  });
      log = new ThrottledLog(logger, still);
      for (int i = 1; i < ThrottledLog.AT_ONCE; i++) {
        warn();
      }
    }

    private void warn() {
      log.warn("{} {}", "a", "b");
    }

    @Actor
    public void one() {
      warn();
    }

    @Actor
    public void other() {
      warn();
    }

    @Actor
    public void another() {
      warn();
    }

    @Arbiter
    public void after(IJ_Result r) {
      r.r1 = lines.get();
      r.r2 = log.count();
    }
  }

  /** A call's place is had while the peer says how many it takes, and comes back. */
  @JCStressTest
  @State
  @Outcome(id = "1, 100", expect = ACCEPTABLE, desc = "As many places as the peer takes.")
  public static class Window {
    private final CallWindow window = new CallWindow(128);

    @Actor
    public void opening() {
      window.peerTakes(70);
      window.peerTakes(100);
    }

    @Actor
    public void caller(II_Result r) {
      if (window.tryAcquire()) {
        r.r1 = 1;
        window.release();
      }
    }

    @Arbiter
    public void after(II_Result r) {
      r.r2 = window.availablePermits();
    }
  }
}
