package io.verbena.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.link.Link;
import io.verbena.link.LinkDriver;
import io.verbena.link.LinkException;
import io.verbena.link.LinkListener;
import io.verbena.link.LinkOptions;
import io.verbena.link.UpgradeDriver;
import io.verbena.link.runtime.NanoClock;
import io.verbena.rdma.wire.UpgradeRequest;
import io.verbena.testkit.JavaProcess;
import io.verbena.testkit.RecordingListener;
import io.verbena.testkit.Seed;
import io.verbena.verbs.ffm.FfmProvider;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/**
 * Whenever a device is removed, whatever the loops of a process have just begun with it, they let
 * go of it soon: the kernel waits with the removal until they have.
 */
@Tag("lab")
@EnabledIfEnvironmentVariable(named = "LAB_NAME", matches = ".+")
final class RemovedDeviceTest {
  private static final Duration ROUNDS = Duration.ofSeconds(6);
  private static final int PATIENCE_SECONDS = 20;
  private static final LinkOptions OPTIONS = LinkOptions.of(64 << 10, Duration.ofSeconds(1), null);

  private final long seed = Seed.number("RemovedDeviceTest");
  private final Random random = new Random(seed);

  @Test
  void isGoneWhateverTheLoopsOfAProcessDo() throws Exception {
    List<String> options = List.of("--enable-native-access=ALL-UNNAMED");
    try (JavaProcess victim =
        JavaProcess.start(options, RemovedDeviceTest.class, Long.toString(seed))) {
      removeUnder(victim);
    }
  }

  private void removeUnder(JavaProcess victim) throws Exception {
    String name = DeviceLinkHarness.variable("LAB_DEVICE");
    String type = name.replaceAll("[0-9]+$", "");
    int rounds = 0;
    try {
      assertThat(victim.line()).isEqualTo("begun");
      long end = System.nanoTime() + ROUNDS.toNanos();
      while (System.nanoTime() - end < 0) {
        Thread.sleep(random.nextInt(random.nextBoolean() ? 50 : 600));
        boolean gone = rdma("delete", name).waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS);
        assertThat(gone).as("seed %d: removed in round %d", seed, rounds).isTrue();
        while (rdma("add", name, "type", type, "netdev", "eth0").waitFor() != 0) {
          Thread.sleep(50);
        }
        rounds++;
      }
    } catch (Throwable stuck) {
      String pid = Long.toString(victim.process().pid());
      new ProcessBuilder("jstack", pid).inheritIO().start().waitFor();
      throw stuck;
    }
    victim.endInput();
    JavaProcess.Ended ended = victim.end(Duration.ofSeconds(PATIENCE_SECONDS));
    assertThat(ended.status()).as("seed %d: %s", seed, ended.out()).isZero();
    System.out.println(rounds + " removals, " + ended.out());
  }

  private static Process rdma(String... command) throws IOException {
    List<String> all = new ArrayList<>(List.of("rdma", "link"));
    all.addAll(List.of(command));
    return new ProcessBuilder(all).redirectErrorStream(true).start();
  }

  // ---- the process ----

  /** Makes links between two loops of its own until its input ends, and one more at last. */
  public static void main(String[] arguments) throws Exception {
    Random random = new Random(Long.parseLong(arguments[0]));
    Thread input = Thread.ofPlatform().daemon().start(RemovedDeviceTest::awaitEndOfInput);
    RdmaUpgradeProvider links =
        new RdmaUpgradeProvider(new FfmProvider(), RdmaSettings.DEFAULT, NanoClock.SYSTEM);
    Loop active = new Loop(links);
    Loop passive = new Loop(links);
    System.out.println("begun");
    int opened = 0;
    while (input.isAlive()) {
      Link link = connect(active, passive);
      opened += link == null ? 0 : 1;
      Thread.sleep(random.nextInt(random.nextBoolean() ? 20 : 400));
      if (link != null && random.nextBoolean()) {
        active.run(driver -> link.close());
      }
      if (random.nextInt(8) == 0) {
        Thread.sleep(1_000); // which the loops spend waiting
      }
    }
    System.out.println(opened + " links");
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    while (connect(active, passive) == null) {
      if (System.nanoTime() - end > 0) {
        System.out.println("there are no links any more");
        System.exit(1); // the loops would go on
      }
    }
    System.exit(0);
  }

  private static void awaitEndOfInput() {
    try {
      int _ = System.in.read();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Null where that fails, as it must without a device. */
  private static @Nullable Link connect(Loop active, Loop passive) throws Exception {
    Outcome mine = new Outcome();
    URI tcp = URI.create("tcp://" + DeviceLinkHarness.variable("LAB_ADDRESS") + ":7400");
    CompletableFuture<byte[]> offered = new CompletableFuture<>();
    passive.run(
        driver -> {
          try {
            offered.complete(driver.offer(UpgradeRequest.encode(), tcp, OPTIONS, new Outcome()));
          } catch (LinkException none) {
            offered.completeExceptionally(none);
          }
        });
    try {
      byte[] offer = offered.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
      active.run(driver -> driver.connect(offer, OPTIONS, mine));
      return mine.link.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException none) {
      return null;
    }
  }

  private static final class Outcome implements LinkDriver.ConnectHandler {
    final CompletableFuture<Link> link = new CompletableFuture<>();

    @Override
    public LinkListener onConnected(Link opened) {
      link.complete(opened);
      return new RecordingListener();
    }

    @Override
    public void onFailed(LinkException failure) {
      link.completeExceptionally(failure);
    }
  }

  /** A loop that waits when it has nothing to do. */
  private static final class Loop {
    private final Semaphore woken = new Semaphore(0);
    private final Queue<Consumer<UpgradeDriver>> tasks = new ConcurrentLinkedQueue<>();
    private final UpgradeDriver driver;

    Loop(RdmaUpgradeProvider links) {
      driver = links.newDriver(woken::release);
      Thread.ofPlatform().start(this::turn);
    }

    void run(Consumer<UpgradeDriver> task) {
      tasks.add(task);
      woken.release();
    }

    private void turn() {
      while (true) {
        Consumer<UpgradeDriver> task;
        while ((task = tasks.poll()) != null) {
          task.accept(driver);
        }
        if (driver.poll(System.nanoTime()) == 0 && driver.armWakeup(System.nanoTime())) {
          woken.acquireUninterruptibly();
          woken.drainPermits();
        }
      }
    }
  }
}
