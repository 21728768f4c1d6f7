package io.verbena.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import com.ibm.disni.verbs.IbvCompChannel;
import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.RdmaEventChannel;
import io.verbena.link.LinkException;
import io.verbena.link.UpgradeDriver;
import io.verbena.rdma.wire.UpgradeRequest;
import io.verbena.testkit.RefusedThreads;
import io.verbena.testkit.Seed;
import io.verbena.verbs.ext.VerbsException;
import io.verbena.verbs.ext.VerbsProvider;
import io.verbena.verbs.ext.WaitSet;
import io.verbena.verbs.fabric.DeviceProfile;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

/** For what, and how long, a loop that rests is waited for; nothing is ever ready here. */
@Timeout(60)
final class WaiterTest {
  private static final long LONGEST = Duration.ofSeconds(1).toNanos();
  private static final long LIMITS = Duration.ofMillis(10).toNanos();

  private final FabricWorld world =
      new FabricWorld(Seed.random("waits").nextLong(), DeviceProfile.full());
  private final RdmaUpgradeProvider provider =
      new RdmaUpgradeProvider(new Watched(), RdmaSettings.DEFAULT, world);
  private final Semaphore woken = new Semaphore(0);
  private final UpgradeDriver driver = provider.newDriver(woken::release);

  /** How long each wait was to last that has begun. */
  private final BlockingQueue<Long> waits = new LinkedBlockingQueue<>();

  private static volatile boolean throwing;

  private static OutOfMemoryError noThread() {
    return new OutOfMemoryError(RefusedThreads.WORDS);
  }

  @AfterEach
  void close() {
    throwing = false;
    driver.close();
    assertThat(provider.pinnedBytes()).as("registered bytes left").isZero();
  }

  /** Waits that end when they are woken alone; what is destroyed cannot be added to them. */
  private final class Watched implements VerbsProvider {
    @Override
    public String name() {
      return world.west.name();
    }

    @Override
    public Optional<VerbsException> problem() {
      return world.west.problem();
    }

    @Override
    public RdmaEventChannel createEventChannel() throws IOException {
      return world.west.createEventChannel();
    }

    @Override
    public List<IbvContext> devices() throws IOException {
      return world.west.devices();
    }

    @Override
    public WaitSet newWaitSet() {
      Semaphore wakeups = new Semaphore(0);
      return new WaitSet() {
        @Override
        public void add(RdmaEventChannel channel) {}

        @Override
        public void add(IbvCompChannel channel) throws IOException {
          if (!channel.isOpen()) {
            throw VerbsException.closed("epoll_ctl", "The completion channel");
          }
        }

        @Override
        public void add(IbvContext context) {}

        @Override
        public boolean await(long timeoutNanos) {
          if (throwing) {
            throw noThread();
          }
          waits.add(timeoutNanos);
          wakeups.acquireUninterruptibly();
          return true;
        }

        @Override
        public void wakeup() {
          wakeups.release();
        }

        @Override
        public void close() {}
      };
    }
  }

  private void offer() throws LinkException {
    driver.offer(
        UpgradeRequest.encode(),
        URI.create("tcp://10.9.0.2:7400"),
        PassiveEnd.OPTIONS,
        new FailureHeard());
  }

  private void rest() {
    while (!driver.armWakeup(world.nanoTime())) {
      // There was something to do.
    }
  }

  @Test
  void aLoopThatRestsAgainWithAShorterLimitIsNotHeldToTheLongerOne() throws Exception {
    rest();
    assertThat(waits.take()).isEqualTo(LONGEST);
    offer(); // which has a time limit
    rest();
    woken.acquire();
    rest();
    assertThat(waits.take()).isEqualTo(LIMITS);
  }

  @Test
  void aDeviceThatIsGoneBeforeItWasWaitedForLeavesTheOthersWaitedFor() throws Exception {
    offer();
    world.west.removeDevice();
    rest();
    assertThat(waits.take()).isEqualTo(LIMITS);
  }

  @Test
  @SuppressWarnings("ThreadLocalUsage") // one for each test
  void aLoopThatFindsNoThreadToWaitForItPollsUntilThereIsOne() throws Exception {
    try (RefusedThreads threads = new RefusedThreads(() -> {})) {
      threads.after(0);
      for (int i = 0; i < 10; i++) {
        assertThat(driver.armWakeup(world.nanoTime())).isFalse();
      }
    }
    rest();
    assertThat(waits.take()).isEqualTo(LONGEST);
  }

  /** The log that has no memory for a line either. */
  @Test
  void aWaitThatEndsForWantOfMemoryLeavesALoopThatIsWoken() throws Exception {
    rest();
    assertThat(waits.take()).isEqualTo(LONGEST);
    Logger log = (Logger) LoggerFactory.getLogger("io.verbena.rdma.cm.ChannelWaiter");
    AppenderBase<ILoggingEvent> full =
        new AppenderBase<>() {
          @Override
          protected void append(ILoggingEvent event) {
            throw noThread();
          }
        };
    full.start();
    log.addAppender(full);
    try {
      throwing = true;
      offer(); // which has a time limit, and ends the wait
      rest();
      woken.acquire();
      rest();
      woken.acquire();
    } finally {
      log.detachAppender(full);
    }
  }
}
