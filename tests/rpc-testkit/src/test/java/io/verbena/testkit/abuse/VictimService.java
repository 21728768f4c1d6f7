package io.verbena.testkit.abuse;

import io.verbena.api.Session;
import io.verbena.api.Streams;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.PushHandler;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/** Serves {@link Victim}. Safe for use by any thread. */
public final class VictimService implements Victim, AutoCloseable {
  private final CountDownLatch closed = new CountDownLatch(1);
  private final AtomicInteger running = new AtomicInteger();

  /** Returns how many handlers wait that may wait for long. */
  public int running() {
    return running.get();
  }

  /** Takes whatever a session's peer pushes, and keeps nothing of it. For {@code onSession}. */
  public static void takePushes(Session session) {
    PushHandler forgetful = offer -> Landing.chunks((at, chunk) -> {});
    session.objects().onPush(forgetful);
  }

  @Override
  public long next(long number) {
    return number + 1;
  }

  @Override
  public byte[] large(int bytes) {
    return new byte[bytes];
  }

  @Override
  public long store(byte[] bytes) {
    return bytes.length;
  }

  @Override
  public void stay() {
    running.incrementAndGet();
    try {
      closed.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      running.decrementAndGet();
    }
  }

  @Override
  public void block() {
    running.incrementAndGet();
    boolean wasInterrupted = false;
    try {
      while (true) {
        try {
          closed.await();
          return;
        } catch (InterruptedException e) {
          wasInterrupted = true;
        }
      }
    } finally {
      running.decrementAndGet();
      if (wasInterrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  @Override
  public int look(Map<Clash, Integer> entries) {
    return entries.size();
  }

  @Override
  public String text(int characters) {
    return "grün ".repeat(characters / 5);
  }

  @Override
  public List<Clash> entries(int count) {
    return Collections.nCopies(count, new Clash(count));
  }

  @Override
  public Flow.Publisher<String> stream(int characters) {
    String text = text(characters);
    return Streams.of(Stream.generate(() -> text));
  }

  /** Lets every handler return. */
  @Override
  public void close() {
    closed.countDown();
  }
}
