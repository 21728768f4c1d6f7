package io.verbena.it.lived;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.ObjectRef;
import io.verbena.api.bulk.Received;
import io.verbena.api.bulk.Source;
import io.verbena.api.bulk.TransferOptions;
import io.verbena.channel.BalancedChannel;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.testkit.JavaProcess;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Fetches by a channel over TCP while the server's process is killed and started again. */
@Tag("long")
@Timeout(170)
class FetchesOverRestartsTest {
  private static final int LENGTH = 4 << 20;
  private static final ObjectRef REF = ObjectRef.named("model", LENGTH);
  private static final int FETCHERS = 6;
  private static final int BETWEEN_RESTARTS = 20;

  /** Java starts slowly on a busy machine. */
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private static final TransferOptions OPTIONS = TransferOptions.DEFAULT.withTimeout(PATIENCE);

  private final AtomicInteger done = new AtomicInteger();
  private final Queue<Throwable> failed = new ConcurrentLinkedQueue<>();
  private final MemorySegment content = MemorySegment.ofArray(content());
  private volatile boolean stopping;

  @TempDir
  @SuppressWarnings("NullAway.Init") // by JUnit
  Path directory;

  private static byte[] content() {
    byte[] content = new byte[LENGTH];
    new Random(46).nextBytes(content);
    return content;
  }

  @Test
  void noFetchFailsAndEachObjectIsWhole() throws Exception {
    JavaProcess server = JavaProcess.start(Program.class, "0");
    String port = server.line();
    try (VerbenaClient client = VerbenaClient.builder().build();
        BalancedChannel channel =
            BalancedChannel.builder(client, "static:127.0.0.1:" + port).waitForReady().build();
        ExecutorService fetchers = Executors.newVirtualThreadPerTaskExecutor()) {
      try {
        for (int i = 0; i < FETCHERS; i++) {
          int number = i;
          fetchers.execute(() -> fetchAll(channel, number));
        }
        for (int restart = 0; restart < 2; restart++) {
          awaitMore();
          if (restart == 1) {
            server.terminate();
            server.process().onExit().join();
          } else {
            server.kill();
          }
          server.close();
          server = JavaProcess.start(Program.class, port);
          assertThat(server.line()).isEqualTo(port);
        }
        awaitMore();
      } finally {
        stopping = true;
      }
    } finally {
      server.close();
    }
    assertThat(failed).isEmpty();
  }

  private void awaitMore() {
    int enough = done.get() + BETWEEN_RESTARTS;
    await().atMost(PATIENCE).until(() -> done.get() >= enough || !failed.isEmpty());
    assertThat(failed).isEmpty();
  }

  private void fetchAll(BalancedChannel channel, int number) {
    try (Arena arena = Arena.ofShared()) {
      MemorySegment memory = arena.allocate(LENGTH);
      Path file = directory.resolve("model-" + number);
      while (!stopping) {
        switch (number % 3) {
          case 0 -> {
            fetch(channel, Landing.of(memory)).close();
            assertThat(memory.mismatch(content)).isEqualTo(-1);
            memory.fill((byte) 0);
          }
          case 1 -> {
            try (Received received = fetch(channel, Landing.pooled(LENGTH))) {
              assertThat(received.memory().mismatch(content)).isEqualTo(-1);
            }
          }
          default -> {
            fetch(channel, Landing.file(file)).close();
            assertThat(file).hasSize(LENGTH);
          }
        }
        done.incrementAndGet();
      }
    } catch (Throwable e) {
      failed.add(e);
    }
  }

  private static Received fetch(BalancedChannel channel, Landing landing) throws Exception {
    return channel.objects().fetch(REF, landing, OPTIONS).get();
  }

  /** The server. */
  static final class Program {
    public static void main(String[] arguments) throws Exception {
      VerbenaServer server = VerbenaServer.builder().listen("127.0.0.1:" + arguments[0]).start();
      server.publish("model", Source.of(content()), Duration.ofHours(1));
      System.out.println(server.address().getPort());
      Runtime.getRuntime().addShutdownHook(new Thread(server::close));
      JavaProcess.endWithParent();
      Runtime.getRuntime().halt(0);
    }
  }
}
