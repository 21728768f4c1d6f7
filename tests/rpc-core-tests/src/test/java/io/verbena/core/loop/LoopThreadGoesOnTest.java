package io.verbena.core.loop;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.verbena.link.LinkDriver;
import io.verbena.link.LinkOptions;
import io.verbena.link.LinkProvider;
import io.verbena.link.runtime.NanoClock;
import io.verbena.link.runtime.ThrottledLog;
import java.net.URI;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;

/** A loop's thread goes on where there is no memory, even none to tell of that. */
@Timeout(60)
class LoopThreadGoesOnTest {
  private static final Logger LOG = (Logger) LoggerFactory.getLogger(EventLoop.class);

  /** The appender that has no memory for a line. */
  private final AppenderBase<ILoggingEvent> full =
      new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
          throw noMemory();
        }
      };

  private final AtomicBoolean failing = new AtomicBoolean();
  private final CompletableFuture<Void> failed = new CompletableFuture<>();
  private final EventLoop loop = new EventLoop("full", NanoClock.SYSTEM, new Links());
  private final LoopThread thread = LoopThread.start(loop, Idling.ADAPTIVE);

  private static OutOfMemoryError noMemory() {
    return new OutOfMemoryError("Java heap space");
  }

  private void mayFail() {
    if (failing.compareAndSet(true, false)) {
      failed.complete(null);
      throw noMemory();
    }
  }

  @BeforeEach
  void fillTheLog() {
    ThrottledLog.refill();
    full.start();
    LOG.addAppender(full);
  }

  @AfterEach
  void close() {
    thread.close();
    LOG.detachAppender(full);
    ThrottledLog.refill();
  }

  /** The users' code that a loop calls. */
  enum Place {
    COMMAND,
    CYCLE_END,
    TIMER,
    LINKS
  }

  @ParameterizedTest
  @EnumSource
  void whateverFindsNoMemory(Place place) throws Exception {
    failing.set(true);
    switch (place) {
      case COMMAND -> loop.execute(this::mayFail);
      case CYCLE_END -> loop.execute(() -> loop.atCycleEnd(this::mayFail));
      case TIMER -> loop.execute(() -> loop.timers().schedule(loop.now(), at -> mayFail()));
      case LINKS -> loop.execute(() -> {});
    }
    failed.get(30, TimeUnit.SECONDS);
    CompletableFuture<Void> next = new CompletableFuture<>();
    loop.execute(() -> next.complete(null));
    next.get(30, TimeUnit.SECONDS);
  }

  @ParameterizedTest
  @EnumSource
  void whateverWouldEndAnotherThread(End end) throws Exception {
    loop.execute(
        () -> {
          switch (end) {
            case INTERRUPT -> Thread.currentThread().interrupt();
            case UNCAUGHT -> throw new ThreadDeathOfUsers();
          }
        });
    CompletableFuture<Boolean> next = new CompletableFuture<>();
    loop.execute(() -> next.complete(loop.isOwner()));
    assertThat(next.get(30, TimeUnit.SECONDS)).isTrue();
  }

  /** The failures that end other threads. */
  enum End {
    INTERRUPT,
    UNCAUGHT
  }

  private static final class ThreadDeathOfUsers extends Error {
    private static final long serialVersionUID = 1L;
  }

  private final class Links implements LinkProvider {
    @Override
    public String scheme() {
      return "none";
    }

    @Override
    public LinkDriver newDriver(Runnable wakeLoop) {
      return new NoLinks();
    }
  }

  private final class NoLinks implements LinkDriver {
    @Override
    public int poll() {
      mayFail();
      return 0;
    }

    @Override
    public int await(long nanos) {
      mayFail();
      Thread.onSpinWait();
      return 0;
    }

    @Override
    public void wakeup() {}

    @Override
    public void connect(URI address, LinkOptions options, ConnectHandler handler) {}

    @Override
    public Listening listen(URI address, LinkOptions options, AcceptHandler handler) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void close() {}
  }
}
