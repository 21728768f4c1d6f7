package io.verbena.it.lived;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.core.loop.Command;
import io.verbena.core.loop.EventLoop;
import io.verbena.core.loop.Idling;
import io.verbena.core.loop.LoopThread;
import io.verbena.link.runtime.NanoClock;
import io.verbena.mem.InMemoryLinkProvider;
import io.verbena.testkit.JavaProcess;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Commands for a blocked loop are not lost, even if the heap has no room for its queue. */
@Timeout(120)
class FullHeapLoopTest {
  private static final int COMMANDS = 5_000;

  @Tag("long")
  @Test
  void everyCommandIsRun() throws Exception {
    try (JavaProcess process = JavaProcess.start(List.of("-Xmx16m"), FullProcess.class)) {
      // After its log: the loop may have found no memory either.
      assertThat(process.lineAfter("commands run: ")).isEqualTo("" + COMMANDS);
    }
  }

  /** Fills its heap while a command holds the loop up, and others are handed over. */
  static final class FullProcess {
    private static final AtomicInteger RUN = new AtomicInteger();
    private static volatile boolean full;
    private static volatile boolean goOn;

    public static void main(String[] arguments) throws Exception {
      EventLoop loop = new EventLoop("full", NanoClock.SYSTEM, new InMemoryLinkProvider());
      LoopThread thread = LoopThread.start(loop, Idling.ADAPTIVE);
      for (int i = 0; i < 50; i++) { // the JVM needs memory for each thing that it does first
        CountDownLatch run = new CountDownLatch(1);
        loop.execute(run::countDown);
        run.await();
        LockSupport.parkNanos(2_000_000); // so that the loop waits, and is woken
      }
      loop.execute(
          () -> {
            while (!goOn) {
              Thread.onSpinWait();
            }
          });
      Command counts = RUN::incrementAndGet;
      Thread handing = new Thread(() -> hand(loop, counts));
      handing.start();
      Thread.State waits = Thread.State.TIMED_WAITING;
      Object[] kept = handing.getState() == waits ? new Object[1] : fill();
      full = true;
      while (handing.getState() != waits && handing.isAlive()) {
        Thread.onSpinWait();
      }
      goOn = true;
      handing.join();
      kept[0] = null;
      thread.close();
      System.out.println("commands run: " + RUN.get());
    }

    private static void hand(EventLoop loop, Command command) {
      while (!full) {
        Thread.onSpinWait();
      }
      for (int i = 0; i < COMMANDS; i++) {
        loop.execute(command);
      }
    }

    private static Object[] fill() {
      Object[] kept = new Object[1 << 18];
      int count = 0;
      for (int bytes = 1 << 20; bytes > 0; bytes /= 16) {
        try {
          while (true) {
            kept[count] = new byte[bytes];
            count++;
          }
        } catch (OutOfMemoryError e) {
          // Less may still fit.
        }
      }
      return kept;
    }
  }
}
