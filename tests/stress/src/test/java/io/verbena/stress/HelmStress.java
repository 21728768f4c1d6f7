package io.verbena.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.verbena.core.loop.EventLoop;
import io.verbena.core.loop.Helm;
import io.verbena.link.LinkDriver;
import io.verbena.link.LinkOptions;
import io.verbena.link.LinkProvider;
import io.verbena.link.runtime.NanoClock;
import java.net.URI;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIZ_Result;

/** The helm of an event loop between its own thread, callers and other threads. */
public final class HelmStress {
  private HelmStress() {}

  /**
   * A loop that callers may step from its own thread's next cycle on. Its clock stands still until
   * the loop's own thread has slept far too often, so that only a recall ends the sleep.
   */
  public static class Steered implements NanoClock, Helm.Sleep, LinkProvider, LinkDriver {
    private static final int ALONE = 8;
    private static final int FAR_TOO_OFTEN = 1_000_000;
    private static final long LONG = 1_000_000_000_000L;

    final AtomicInteger ran = new AtomicInteger();

    /** Counts without atomicity, because only the holder of the helm may touch it. */
    int plain;

    private volatile long now;
    private int sleeps;
    volatile boolean overslept;
    final EventLoop loop = new EventLoop("steered", this, this);
    final Helm helm = new Helm(loop, this);

    Steered() {
      loop.steerBy(helm);
      for (int calls = 0; calls < ALONE; calls++) {
        boolean _ = loop.drive(() -> {}, CompletableFuture.completedFuture(null));
        helm.afterCycle();
      }
      boolean _ = loop.drive(() -> {}, CompletableFuture.completedFuture(null));
      loop.disown();
    }

    /**
     * The loop's own thread lets callers step, and is recalled by a command. It must not run them
     * before: then nobody would recall it.
     */
    void ownThread() {
      loop.adopt();
      helm.afterCycle();
      int _ = loop.doWork();
      loop.disown();
    }

    /** A blocking caller, whose reply comes at once. */
    void caller() {
      CompletableFuture<Void> reply = new CompletableFuture<>();
      if (!loop.drive(() -> runs(reply), reply)) {
        loop.execute(() -> runs(reply));
      }
    }

    private void runs(CompletableFuture<Void> reply) {
      plain++;
      ran.incrementAndGet();
      boolean _ = reply.complete(null);
    }

    void other() {
      loop.execute(
          () -> {
            plain++;
            ran.incrementAndGet();
          });
    }

    void rest() {
      loop.adopt();
      int _ = loop.doWork();
    }

    @Override
    public long nanoTime() {
      return now;
    }

    @Override
    public void begin(long nanos) {
      if (++sleeps == FAR_TOO_OFTEN) {
        overslept = true;
        now = LONG;
      }
      Thread.onSpinWait();
    }

    @Override
    public void end() {}

    @Override
    public String scheme() {
      return "none";
    }

    @Override
    public LinkDriver newDriver(Runnable wakeLoop) {
      return this;
    }

    @Override
    public boolean mayChangeThread() {
      return true;
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
    public void wakeup() {}

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

  /** Commands run once each, by one thread at a time, and recall the loop's own thread. */
  @JCStressTest
  @State
  @Outcome(id = "3, 3, false", expect = ACCEPTABLE, desc = "All ran, one after the other.")
  @Outcome(id = ".*, true", expect = FORBIDDEN, desc = "Nobody recalled the loop's own thread.")
  @Outcome(id = ".*", expect = FORBIDDEN, desc = "One is lost, ran twice, or ran beside another.")
  public static class Callers extends Steered {
    @Actor
    public void loop() {
      ownThread();
    }

    @Actor
    public void call() {
      caller();
    }

    @Actor
    public void another() {
      caller();
    }

    @Actor
    public void elsewhere() {
      other();
    }

    @Arbiter
    public void after(IIZ_Result r) {
      rest();
      r.r1 = ran.get();
      r.r2 = plain;
      r.r3 = overslept;
    }
  }
}
