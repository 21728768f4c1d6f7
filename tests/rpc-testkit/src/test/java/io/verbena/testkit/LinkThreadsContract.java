package io.verbena.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.core.loop.EventLoop;
import io.verbena.core.loop.Idling;
import io.verbena.core.loop.LoopThread;
import io.verbena.link.Link;
import io.verbena.link.LinkDriver;
import io.verbena.link.LinkException;
import io.verbena.link.LinkListener;
import io.verbena.link.LinkOptions;
import io.verbena.link.LinkProvider;
import io.verbena.link.SendResult;
import io.verbena.link.memory.Slot;
import io.verbena.link.runtime.NanoClock;
import java.net.URI;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The contract of links whose two ends are stepped by two threads that wait when idle. */
public abstract class LinkThreadsContract {
  private static final int MAX_FRAME = 4096;

  /** Longer than any test here may take: a wait that nothing ended is seen as a failure. */
  private static final long LONG_WAIT_NANOS = TimeUnit.MINUTES.toNanos(5);

  /** So often that a loop has gone to wait before some of as many frames. */
  private static final int IDLE_TIMES = 500;

  /** About when a loop that has sent something waits again. */
  private static final long UNTIL_IDLE_NANOS = 100_000;

  private static final int MOVED_LINKS = 20;

  private LinkHarness harness;

  /** The harness is set before each test. */
  @SuppressWarnings("NullAway.Init") // by openHarness
  protected LinkThreadsContract() {}

  /** Returns a new harness; the suite closes it. */
  protected abstract LinkHarness newHarness();

  @BeforeEach
  void openHarness() {
    harness = newHarness();
  }

  @AfterEach
  void closeHarness() {
    harness.close();
  }

  @Test
  void aWaitEndsWhenItsTimeHasPassed() {
    try (LinkDriver driver = newDriver()) {
      driver.await(TimeUnit.MILLISECONDS.toNanos(1));
    }
  }

  @Test
  void aWakeupBeforeTheWaitEndsTheWait() {
    try (LinkDriver driver = newDriver()) {
      driver.poll();
      driver.wakeup();
      driver.await(LONG_WAIT_NANOS);
    }
  }

  @Test
  void aWakeupByAnotherThreadEndsTheWait() throws InterruptedException {
    try (LinkDriver driver = newDriver()) {
      for (int i = 0; i < 1000; i++) {
        Thread waker = Thread.ofPlatform().start(driver::wakeup);
        driver.await(LONG_WAIT_NANOS);
        waker.join();
        driver.poll();
      }
    }
  }

  /** Whatever wake-ups the driver's first thread has met before, and whichever thread waits. */
  @Test
  void aWakeupEndsTheWaitOfAThreadThatTookTheDriverOver() throws Exception {
    try (LinkDriver driver = newDriver()) {
      driver.poll();
      Assumptions.assumeTrue(driver.mayChangeThread(), "these links keep their thread");
      for (int i = 0; i < 200; i++) {
        Thread waker = Thread.ofPlatform().start(driver::wakeup);
        driver.await(LONG_WAIT_NANOS);
        waker.join();
        driver.released();
        FutureTask<Boolean> taken = new FutureTask<>(() -> waitsAsAnother(driver), true);
        Thread.ofPlatform().start(taken).join();
        taken.get();
        driver.adopted();
      }
    }
  }

  private static void waitsAsAnother(LinkDriver driver) {
    driver.adopted();
    driver.poll(); // an earlier wake-up is over now
    driver.await(1);
    Thread waker = Thread.ofPlatform().start(driver::wakeup);
    driver.await(LONG_WAIT_NANOS);
    try {
      waker.join();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    driver.released();
  }

  @Test
  void anInterruptOfAThreadThatTookTheDriverOverIsKept() throws Exception {
    try (LinkDriver driver = newDriver()) {
      driver.poll();
      Assumptions.assumeTrue(driver.mayChangeThread(), "these links keep their thread");
      driver.released();
      FutureTask<Boolean> isInterrupted =
          new FutureTask<>(
              () -> {
                driver.adopted();
                Thread.currentThread().interrupt();
                driver.await(TimeUnit.MILLISECONDS.toNanos(1));
                driver.released();
                return Thread.currentThread().isInterrupted();
              });
      Thread.ofPlatform().start(isInterrupted).join();
      assertThat(isInterrupted.get()).isTrue();
      driver.adopted();
    }
  }

  @Test
  void aFrameEndsTheWaitOfTheOtherEnd() throws Exception {
    int roundTrips = 2000;
    AtomicReference<@Nullable URI> address = new AtomicReference<>();
    CountDownLatch listening = new CountDownLatch(1);
    CountDownLatch over = new CountDownLatch(1);
    Thread server = Thread.ofPlatform().name("server").start(() -> serve(address, listening, over));
    listening.await();
    URI to = Objects.requireNonNull(address.get(), "the server does not listen");
    assertThat(call(to, roundTrips)).isEqualTo(roundTrips);
    over.await();
    server.join();
  }

  @Test
  void whatArrivesInALoopsWaitIsJudgedByTheTimeAfterTheWait() throws Exception {
    ManualClock clock = new ManualClock();
    AtomicInteger waits = new AtomicInteger();
    EventLoop loop = new EventLoop("waiting", clock, whoseWaitsTakeTime(clock, waits));
    LinkOptions options = LinkOptions.of(MAX_FRAME, Duration.ofSeconds(10), harness.serverTls());
    AtomicInteger late = new AtomicInteger();
    CompletableFuture<URI> address = new CompletableFuture<>();
    loop.execute(
        () -> {
          try {
            LinkDriver.AcceptHandler told = link -> new Told(link, loop, late);
            address.complete(loop.driver().listen(harness.freeAddress(), options, told).address());
          } catch (LinkException e) {
            address.completeExceptionally(e);
          }
        });
    try (LoopThread thread = LoopThread.start(loop, Idling.ADAPTIVE)) {
      assertThat(thread).isNotNull();
      // Over a fast link the next frame would come while the loop's cycle goes on.
      Caller caller = new Caller(IDLE_TIMES, () -> LockSupport.parkNanos(UNTIL_IDLE_NANOS));
      assertThat(call(address.get(1, TimeUnit.MINUTES), caller)).isEqualTo(IDLE_TIMES);
    }
    assertThat(waits).as("waits of the loop").hasPositiveValue();
    assertThat(late).as("frames judged by a time before them").hasValue(0);
  }

  /** Returns links whose driver's waits, and nothing else, take a minute of the loop's clock. */
  private LinkProvider whoseWaitsTakeTime(ManualClock clock, AtomicInteger waits) {
    return new LinkProvider() {
      @Override
      public String scheme() {
        return harness.provider().scheme();
      }

      @Override
      public LinkDriver newDriver(Runnable wakeLoop) {
        return new Waiting(harness.provider().newDriver(wakeLoop), clock, waits);
      }
    };
  }

  @Test
  void aLinkThatMovesIsAnsweredByTheThreadOfItsNewLoop() throws Exception {
    Assumptions.assumeTrue(harness.provider().linksMove(), "these links stay where they are");
    EventLoop first = new EventLoop("first", NanoClock.SYSTEM, harness.provider());
    EventLoop second = new EventLoop("second", NanoClock.SYSTEM, harness.provider());
    LinkOptions options = LinkOptions.of(MAX_FRAME, Duration.ofSeconds(10), harness.serverTls());
    CompletableFuture<URI> address = new CompletableFuture<>();
    Set<String> threads = ConcurrentHashMap.newKeySet();
    first.execute(
        () -> {
          try {
            LinkDriver.AcceptHandler moves = link -> new Moves(link, second, threads);
            address.complete(
                first.driver().listen(harness.freeAddress(), options, moves).address());
          } catch (LinkException e) {
            address.completeExceptionally(e);
          }
        });
    try (LoopThread one = LoopThread.start(first, Idling.ADAPTIVE);
        LoopThread two = LoopThread.start(second, Idling.ADAPTIVE)) {
      assertThat(List.of(one, two)).doesNotContainNull();
      URI to = address.get(1, TimeUnit.MINUTES);
      for (int link = 0; link < MOVED_LINKS; link++) {
        assertThat(call(to, IDLE_TIMES)).isEqualTo(IDLE_TIMES);
      }
    }
    assertThat(threads).containsExactly("second");
  }

  private LinkDriver newDriver() {
    AtomicReference<@Nullable LinkDriver> made = new AtomicReference<>();
    LinkDriver driver =
        harness
            .provider()
            .newDriver(
                () -> {
                  LinkDriver target = made.get();
                  if (target != null) {
                    target.wakeup();
                  }
                });
    made.set(driver);
    return driver;
  }

  private void serve(
      AtomicReference<@Nullable URI> address, CountDownLatch listening, CountDownLatch over) {
    try (LinkDriver driver = newDriver()) {
      LinkOptions options = LinkOptions.of(MAX_FRAME, Duration.ofSeconds(10), harness.serverTls());
      address.set(
          driver.listen(harness.freeAddress(), options, link -> new Echo(link, over)).address());
      listening.countDown();
      while (over.getCount() > 0) {
        step(driver);
      }
    } catch (LinkException e) {
      listening.countDown();
      throw new AssertionError(e);
    }
  }

  private int call(URI address, int roundTrips) {
    return call(address, new Caller(roundTrips, () -> {}));
  }

  private int call(URI address, Caller caller) {
    try (LinkDriver driver = newDriver()) {
      LinkOptions options = LinkOptions.of(MAX_FRAME, Duration.ofSeconds(10), harness.clientTls());
      driver.connect(address, options, caller);
      while (!caller.closed) {
        step(driver);
      }
    }
    return caller.echoes;
  }

  private static void step(LinkDriver driver) {
    if (driver.poll() == 0) {
      driver.await(LONG_WAIT_NANOS);
    }
  }

  private static void send(Link link, Slot slot, int value) {
    slot.buffer().putInt(0, value);
    slot.length(Integer.BYTES);
    if (link.send(slot) != SendResult.SENT) {
      throw new AssertionError("an idle link pushed back");
    }
    link.flush();
  }

  private static final class Caller implements LinkDriver.ConnectHandler, LinkListener {
    private final Slot slot = Slot.unpooled(64);
    private final int roundTrips;
    private final Runnable beforeEach;
    private @Nullable Link link;
    private int echoes;
    private boolean closed;

    Caller(int roundTrips, Runnable beforeEach) {
      this.roundTrips = roundTrips;
      this.beforeEach = beforeEach;
    }

    @Override
    public LinkListener onConnected(Link opened) {
      link = opened;
      send(opened, slot, 0);
      return this;
    }

    @Override
    public void onFailed(LinkException failure) {
      throw new AssertionError(failure);
    }

    @Override
    public void onFrame(ByteBuffer buffer, int from, int to) {
      if (buffer.getInt(from) != echoes) {
        throw new AssertionError("out of order: " + buffer.getInt(from) + ", not " + echoes);
      }
      echoes++;
      Link current = link;
      if (current == null) {
        throw new IllegalStateException("a frame before the link");
      }
      if (echoes == roundTrips) {
        current.close();
      } else {
        beforeEach.run();
        send(current, slot, echoes);
      }
    }

    @Override
    public void onWritable() {}

    @Override
    public void onClosed(String reason) {
      closed = true;
    }
  }

  /** A driver whose waits take a minute each of its loop's clock. */
  private record Waiting(LinkDriver links, ManualClock clock, AtomicInteger waits)
      implements LinkDriver {
    @Override
    public int await(long nanos) {
      waits.incrementAndGet();
      clock.advance(Duration.ofMinutes(1));
      return links.await(nanos);
    }

    @Override
    public int poll() {
      return links.poll();
    }

    @Override
    public void wakeup() {
      links.wakeup();
    }

    @Override
    public void connect(URI address, LinkOptions options, ConnectHandler handler) {
      links.connect(address, options, handler);
    }

    @Override
    public Listening listen(URI address, LinkOptions options, AcceptHandler handler)
        throws LinkException {
      return links.listen(address, options, handler);
    }

    @Override
    public void close() {
      links.close();
    }
  }

  /** Counts the frames that came when the loop's time was behind. */
  private record Told(Link link, EventLoop loop, AtomicInteger late, Slot slot)
      implements LinkListener {
    Told(Link link, EventLoop loop, AtomicInteger late) {
      this(link, loop, late, Slot.unpooled(64));
    }

    @Override
    public void onFrame(ByteBuffer buffer, int from, int to) {
      if (loop.now() < loop.clock().nanoTime()) {
        late.incrementAndGet();
      }
      send(link, slot, buffer.getInt(from));
    }

    @Override
    public void onWritable() {}

    @Override
    public void onClosed(String reason) {}
  }

  /** Moves its link with the first frame, and notes which threads answer. */
  private static final class Moves implements LinkListener {
    private final Slot slot = Slot.unpooled(64);
    private final Link link;
    private final EventLoop to;
    private final Set<String> threads;
    private boolean moved;

    Moves(Link link, EventLoop to, Set<String> threads) {
      this.link = link;
      this.to = to;
      this.threads = threads;
    }

    @Override
    public void onFrame(ByteBuffer buffer, int from, int to) {
      int value = buffer.getInt(from);
      if (moved) {
        answer(value);
      } else {
        moved = true;
        link.moveTo(this.to.driver(), () -> answer(value));
      }
    }

    private void answer(int value) {
      threads.add(Thread.currentThread().getName());
      send(link, slot, value);
    }

    @Override
    public void onWritable() {}

    @Override
    public void onClosed(String reason) {}
  }

  private static final class Echo implements LinkListener {
    private final Slot slot = Slot.unpooled(64);
    private final Link link;
    private final CountDownLatch over;

    Echo(Link link, CountDownLatch over) {
      this.link = link;
      this.over = over;
    }

    @Override
    public void onFrame(ByteBuffer buffer, int from, int to) {
      send(link, slot, buffer.getInt(from));
    }

    @Override
    public void onWritable() {}

    @Override
    public void onClosed(String reason) {
      over.countDown();
    }
  }
}
