package io.verbena.shm;

import io.verbena.link.LocalSockets;
import io.verbena.testkit.LocalSocketsContract;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** Local sockets that a thread watches for the loop. */
final class WaitedSocketsTest extends LocalSocketsContract {
  WaitedSocketsTest() {
    super(Woken::new);
  }

  private static final class Woken implements Loop {
    private final LocalSockets sockets;
    private volatile boolean woken;

    Woken() {
      Thread thread = Thread.currentThread();
      try {
        sockets =
            new WaitedSockets(
                WaiterThread::new,
                () -> {
                  woken = true;
                  LockSupport.unpark(thread);
                });
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public LocalSockets sockets() {
      return sockets;
    }

    @Override
    public void await(Duration longest) {
      long end = System.nanoTime() + longest.toNanos();
      while (!woken && System.nanoTime() - end < 0) {
        LockSupport.parkNanos(this, Duration.ofMillis(100).toNanos());
      }
      woken = false;
      sockets.poll();
    }

    @Override
    public void close() {
      try {
        sockets.close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
