package io.verbena.bench.verbena;

import io.verbena.api.Session;
import io.verbena.api.bulk.Source;
import io.verbena.bench.load.Call;
import io.verbena.bench.load.Caller;
import io.verbena.bench.load.Load;
import io.verbena.bench.load.Messages;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.Phaser;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Small calls beside large objects on one session. Objects are pushed one after the other during
 * the calls. Only the calls are timed.
 */
final class MixedCaller implements Caller {
  private static final int OBJECTS_UNDER_WAY = 2;
  private static final long PATIENCE_SECONDS = 60;

  private final Session session;
  private final SessionCaller calls;
  private final Arena arena = Arena.ofShared();
  private final MemorySegment object;
  private final Phaser underWay = new Phaser(1);
  private final AtomicBoolean pumping = new AtomicBoolean();
  private final AtomicLong bytes = new AtomicLong();
  private volatile @Nullable Throwable failure;

  MixedCaller(Session session, Load load) {
    this.session = session;
    this.calls = new SessionCaller(session, load.handler());
    this.object = arena.allocate(load.size(), Long.BYTES);
    object.copyFrom(MemorySegment.ofArray(Messages.of(load.size())));
  }

  @Override
  public void start(Call call) {
    pump();
    calls.start(call);
  }

  @Override
  public void exchange(Call call) {
    pump();
    calls.exchange(call);
  }

  private void pump() {
    if (pumping.get() || !pumping.compareAndSet(false, true)) {
      return;
    }
    for (int i = 0; i < OBJECTS_UNDER_WAY; i++) {
      underWay.register();
      push();
    }
  }

  private void push() {
    session
        .objects()
        .push(Arrivals.name(false, 0), Source.of(object))
        .result()
        .whenComplete(
            (received, thrown) -> {
              if (thrown != null) {
                failure = thrown;
              } else {
                received.close();
                bytes.addAndGet(object.byteSize());
              }
              if (thrown == null && pumping.get()) {
                push();
              } else {
                underWay.arriveAndDeregister();
              }
            });
  }

  /** Starts no more objects, and waits for those in transfer. */
  @Override
  public void settle() {
    if (pumping.compareAndSet(true, false) && !isIdle()) {
      throw new IllegalStateException("objects had not arrived after " + PATIENCE_SECONDS + " s");
    }
    Throwable thrown = failure;
    if (thrown != null) {
      throw new IllegalStateException("an object beside the calls failed: " + thrown, thrown);
    }
  }

  /** Waits for objects in transfer. Returns false if some have not ended in time. */
  private boolean isIdle() {
    try {
      underWay.awaitAdvanceInterruptibly(underWay.arrive(), PATIENCE_SECONDS, TimeUnit.SECONDS);
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    } catch (TimeoutException e) {
      return false;
    }
  }

  @Override
  public long bytesBeside() {
    return bytes.get();
  }

  @Override
  public String path() {
    return session.path().toString();
  }

  @Override
  public void close() {
    pumping.set(false);
    session.close(); // which ends transfers, but not at once
    if (isIdle()) {
      arena.close();
    }
  }
}
