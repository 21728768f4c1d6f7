package io.verbena.junit;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.core.loop.EventLoop;
import io.verbena.core.loop.Idling;
import io.verbena.core.loop.LoopThread;
import io.verbena.mem.InMemoryNetwork;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

class SteppedTimeTest {
  private static final Duration TICK = Duration.ofMillis(100);
  private static final int TICKS = 2;

  @Test
  void waitsForTheTimersOfALoopThatHasCommandsWithoutEnd() {
    SteppedTime time = new SteppedTime();
    EventLoop loop = new EventLoop("busy", time.clock(), new InMemoryNetwork(time.clock(), 1));
    AtomicBoolean ended = new AtomicBoolean();
    AtomicInteger ticks = new AtomicInteger();
    loop.execute(() -> keepBusy(loop, ended));
    loop.execute(() -> everyTick(loop, ticks));
    LoopThread thread = LoopThread.start(loop, Idling.spinning(Duration.ZERO));
    time.move(List.of(loop));
    try {
      for (int tick = 1; tick <= TICKS; tick++) {
        time.advance(TICK);
        assertThat(ticks).hasValue(tick);
      }
    } finally {
      ended.set(true);
      thread.close();
    }
  }

  /** Longer than it takes to hand over the next, so that one cycle runs as many as it may. */
  private static void keepBusy(EventLoop loop, AtomicBoolean ended) {
    LockSupport.parkNanos(1);
    if (!ended.get()) {
      loop.execute(() -> keepBusy(loop, ended));
    }
  }

  private static void everyTick(EventLoop loop, AtomicInteger ticks) {
    loop.timers()
        .schedule(
            loop.now() + TICK.toNanos(),
            now -> {
              ticks.incrementAndGet();
              everyTick(loop, ticks);
            });
  }
}
