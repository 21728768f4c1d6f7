package io.verbena.bench;

import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Typed async calls with a non-blocking handler, over one session. Each answer starts the next
 * call, on the client's event loop, as raw Netty's does.
 */
final class CallEcho implements Echo {
  private static final long GIVE_UP_SECONDS = 120;

  private final VerbenaServer server;
  private final VerbenaClient client;
  private final RepeaterRpc.Async repeater;
  private final byte[] message = new byte[BYTES];

  CallEcho() {
    server =
        VerbenaServer.builder()
            .listen("127.0.0.1:0")
            .serve(RepeaterRpc.bind(bytes -> bytes))
            .start();
    client = VerbenaClient.builder().build();
    repeater = RepeaterRpc.async(client.connect(server.address().toString()));
  }

  @Override
  public String name() {
    return "Verbena, typed async call";
  }

  @Override
  public void roundTrips(int count, int outstanding, Histogram nanos) throws InterruptedException {
    Run run = new Run(count, nanos);
    for (int i = 0; i < outstanding; i++) {
      run.next();
    }
    if (!run.done.await(GIVE_UP_SECONDS, TimeUnit.SECONDS)) {
      throw new IllegalStateException("no end after " + GIVE_UP_SECONDS + " s");
    }
    Throwable failure = run.failure.get();
    if (failure != null) {
      throw new IllegalStateException(failure);
    }
  }

  /** One series of calls. The first few start on the caller's thread, all others on the loop. */
  private final class Run {
    final CountDownLatch done = new CountDownLatch(1);
    final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private final Histogram nanos;
    private int toStart;
    private int toEnd;

    Run(int count, Histogram nanos) {
      this.nanos = nanos;
      this.toStart = count;
      this.toEnd = count;
    }

    synchronized void next() {
      if (toStart == 0) {
        return;
      }
      toStart--;
      long start = System.nanoTime();
      repeater.repeat(message).whenComplete((answer, error) -> ended(start, error));
    }

    private synchronized void ended(long start, @Nullable Throwable error) {
      if (error != null) {
        failure.compareAndSet(null, error);
        done.countDown();
        return;
      }
      nanos.recordValue(System.nanoTime() - start);
      toEnd--;
      if (toEnd == 0) {
        done.countDown();
      } else {
        next();
      }
    }
  }

  @Override
  public void close() {
    client.close();
    server.close();
  }
}
