package io.verbena.shm;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.link.BulkPort;
import io.verbena.link.BulkRegion;
import io.verbena.link.BulkTarget;
import io.verbena.link.LinkException;
import io.verbena.link.MemoryLife;
import io.verbena.link.RemoteTarget;
import io.verbena.link.SendResult;
import io.verbena.link.UpgradeDriver;
import io.verbena.link.runtime.NanoClock;
import io.verbena.testkit.LinkEnd;
import io.verbena.testkit.Seed;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two loops that sleep whenever they have nothing to do, with rings that are full all the time. */
final class SleepingEndsTest {
  private static final int FRAMES = 20_000;
  private static final int PIECES = 2_000;
  private static final int PIECE_BYTES = 20_000;

  private final ShmUpgradeProvider links;

  SleepingEndsTest(@TempDir Path base) {
    links =
        new ShmUpgradeProvider(
            base, ShmSettings.DEFAULT.withRingBytes(256 << 10), NanoClock.SYSTEM);
  }

  /** Steps one end on the calling thread. */
  private final class Loop implements AutoCloseable {
    private final Thread thread = Thread.currentThread();
    private final UpgradeDriver driver = links.newDriver(this::wake);
    private final TwoEnds.Outcome outcome = new TwoEnds.Outcome();
    private volatile boolean woken;

    private void wake() {
      woken = true;
      LockSupport.unpark(thread);
    }

    LinkEnd end() {
      until("a link", outcome::isKnown);
      return outcome.end();
    }

    /** Sleeps for as long as nobody wakes it: a wake-up that is lost is found so. */
    void until(String what, BooleanSupplier condition) {
      while (!condition.getAsBoolean()) {
        woken = false;
        if (driver.poll(System.nanoTime()) > 0 || !driver.armWakeup(System.nanoTime())) {
          continue;
        }
        long deadline = System.nanoTime() + Duration.ofMinutes(1).toNanos();
        while (!woken) {
          if (System.nanoTime() - deadline > 0) {
            throw new AssertionError("nobody woke the loop that waits for " + what);
          }
          LockSupport.parkNanos(this, Duration.ofSeconds(1).toNanos());
        }
      }
    }

    @Override
    public void close() {
      driver.close();
    }
  }

  private interface EndTest {
    void run(Loop loop, LinkEnd end) throws LinkException;
  }

  private void run(EndTest passive, EndTest active) throws Exception {
    CompletableFuture<byte[]> offer = new CompletableFuture<>();
    CompletableFuture<Void> over = new CompletableFuture<>();
    Thread other =
        Thread.ofPlatform()
            .start(
                () -> {
                  try (Loop loop = new Loop()) {
                    offer.complete(
                        loop.driver.offer(
                            ShmOffer.request(), TwoEnds.HERE, TwoEnds.OPTIONS, loop.outcome));
                    passive.run(loop, loop.end());
                    over.complete(null);
                  } catch (Throwable e) {
                    offer.completeExceptionally(e);
                    over.completeExceptionally(e);
                  }
                });
    try (Loop loop = new Loop()) {
      loop.driver.connect(offer.get(1, TimeUnit.MINUTES), TwoEnds.OPTIONS, loop.outcome);
      LinkEnd end = loop.end();
      active.run(loop, end);
      loop.until("the end", () -> over.isDone() || end.heard().isClosed());
    }
    over.get(1, TimeUnit.MINUTES);
    other.join();
  }

  @Test
  void areWokenForFramesAndForRoom() throws Exception {
    Random random = Seed.random("frames between ends that sleep");
    long seed = random.nextLong();
    run(
        (loop, end) -> {
          int[] received = new int[1];
          Random expected = new Random(seed);
          end.heard()
              .onFrame(
                  frame -> {
                    assertThat(frame).hasSize(4 + expected.nextInt(3_000));
                    assertThat(ByteBuffer.wrap(frame).getInt()).isEqualTo(received[0]);
                    received[0]++;
                  });
          loop.until("frames", () -> received[0] == FRAMES);
        },
        (loop, end) -> {
          Random lengths = new Random(seed);
          for (int i = 0; i < FRAMES; i++) {
            byte[] frame = new byte[4 + lengths.nextInt(3_000)];
            ByteBuffer.wrap(frame).putInt(i);
            loop.until("room", () -> end.send(frame) == SendResult.SENT);
            end.link().flush();
          }
        });
  }

  @Test
  void areWokenForBulkAndForRoom() throws Exception {
    long bytes = (long) PIECES * PIECE_BYTES;
    run(
        (loop, end) -> {
          BulkPort port = port(end);
          long[] arrived = new long[1];
          BulkRegion region = port.attach(Arena.ofAuto().allocate(bytes), MemoryLife.HELD);
          BulkTarget target = port.open(region, 0, bytes, upTo -> arrived[0] = upTo);
          end.sendNow(target.advertisement());
          loop.until("bulk", () -> arrived[0] == bytes);
        },
        (loop, end) -> {
          BulkPort port = port(end);
          BulkRegion source = port.attach(Arena.ofAuto().allocate(PIECE_BYTES), MemoryLife.HELD);
          loop.until("the target", () -> !end.heard().frames().isEmpty());
          RemoteTarget target = port.remote(ByteBuffer.wrap(end.heard().frames().getFirst()));
          for (int i = 0; i < PIECES; i++) {
            long at = (long) i * PIECE_BYTES;
            boolean last = i == PIECES - 1;
            loop.until(
                "room",
                () ->
                    port.write(target, at, source, 0, PIECE_BYTES, last, () -> {})
                        == SendResult.SENT);
          }
        });
  }

  /** What came since the last poll, and before this end said that it sleeps, rings no bell. */
  @Test
  void doNotSleepWhileThereIsWork(@TempDir Path base) throws Exception {
    try (TwoEnds ends = new TwoEnds(base)) {
      List<LinkEnd> pair = ends.open();
      LinkEnd active = pair.getFirst();
      LinkEnd passive = pair.getLast();
      MemorySegment memory = Arena.ofAuto().allocate(PIECE_BYTES);
      BulkPort from = port(active);
      BulkTarget to =
          port(passive)
              .open(port(passive).attach(memory, MemoryLife.HELD), 0, PIECE_BYTES, upTo -> {});
      RemoteTarget target = from.remote(ByteBuffer.wrap(to.advertisement()));
      BulkRegion source = from.attach(memory, MemoryLife.HELD);
      ends.stepUntil("idleness", () -> sleeps(ends.passive) && sleeps(ends.active));

      active.sendNow(new byte[1]);
      assertThat(sleeps(ends.passive)).as("with a frame").isFalse();
      ends.stepUntil("idleness", () -> sleeps(ends.passive) && sleeps(ends.active));

      from.write(target, 0, source, 0, PIECE_BYTES, true, () -> {});
      active.link().flush();
      ends.passive.poll(System.nanoTime());
      assertThat(sleeps(ends.active)).as("with bulk bytes that have left").isFalse();
      ends.stepUntil("idleness", () -> sleeps(ends.passive) && sleeps(ends.active));

      while (active.send(new byte[PIECE_BYTES]) == SendResult.SENT) {
        active.link().flush();
      }
      ends.passive.poll(System.nanoTime());
      assertThat(sleeps(ends.active)).as("with room again").isFalse();
    }
  }

  private static boolean sleeps(UpgradeDriver driver) {
    return driver.armWakeup(System.nanoTime());
  }

  private static BulkPort port(LinkEnd end) {
    return Objects.requireNonNull(end.link().bulk());
  }
}
