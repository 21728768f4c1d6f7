package io.verbena.it.lived;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.verbena.api.CallContext;
import io.verbena.api.Session;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.ObjectRef;
import io.verbena.api.bulk.Received;
import io.verbena.api.bulk.Source;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.link.runtime.NanoClock;
import io.verbena.rdma.RdmaSettings;
import io.verbena.rdma.RdmaUpgradeProvider;
import io.verbena.testkit.FutureEnding;
import io.verbena.verbs.fabric.Fabric;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A future of an object of 32 MiB is ended in the middle, in every way. From when it is over
 * nothing is written into the landing, though its sender has half of the object still to send.
 */
class EndedFuturesTest {
  private static final long BYTES = 32 << 20;

  /** On the fabric, where each packet is simulated. */
  private static final long FEWER_BYTES = 4 << 20;

  private static final long BEHIND = 1 << 20;
  private static final Duration LONGEST = Duration.ofSeconds(40);
  private static final byte MARK = 0x55;
  private static final byte INK = 0x11;

  private volatile CountDownLatch goOn = new CountDownLatch(0);

  /** Its pictures stop in the middle until the test goes on. */
  private final class Halting implements Gallery {
    private Source picture(long bytes) {
      CountDownLatch gate = goOn;
      return Source.generator(
          bytes,
          (chunk, offset) -> {
            if (offset >= bytes / 2) {
              gate.await();
            }
            chunk.fill(INK);
          });
    }

    @Override
    public Received show(long bytes, Landing into) {
      return Received.from(picture(bytes));
    }

    @Override
    public ObjectRef publish(long bytes) {
      return CallContext.current().session().objects().publish(picture(bytes), LONGEST).ref();
    }
  }

  private enum Asked {
    BY_A_CALL {
      @Override
      CompletableFuture<Received> begin(Session session, MemorySegment into) {
        return GalleryRpc.async(session)
            .show(into.byteSize(), Landing.of(into))
            .toCompletableFuture();
      }
    },
    BY_A_FETCH {
      @Override
      CompletableFuture<Received> begin(Session session, MemorySegment into) {
        ObjectRef ref = GalleryRpc.client(session).publish(into.byteSize());
        return session.objects().fetch(ref, Landing.of(into)).result().toCompletableFuture();
      }
    };

    abstract CompletableFuture<Received> begin(Session session, MemorySegment into);
  }

  @ParameterizedTest(name = "rdma: {0}")
  @ValueSource(booleans = {false, true})
  void nothingIsWrittenOnceItIsOver(boolean rdma) throws Exception {
    try (Fabric fabric = Fabric.threaded(5)) {
      VerbenaServer.Builder serving =
          VerbenaServer.builder().listen("127.0.0.1:0").serve(GalleryRpc.bind(new Halting()));
      VerbenaClient.Builder calling = VerbenaClient.builder();
      if (rdma) {
        serving.upgrades(device(fabric, "west", "10.9.0.2"));
        calling.upgrades(device(fabric, "east", "10.9.0.1"));
      }
      try (VerbenaServer server = serving.start();
          VerbenaClient client = calling.build();
          Session session = client.connect(server.address().toString());
          Arena arena = Arena.ofShared()) {
        String link = rdma ? "rdma" : "tcp";
        await().atMost(LONGEST).until(() -> session.path().link().equals(link));
        MemorySegment into = arena.allocate(rdma ? FEWER_BYTES : BYTES, 4096);
        for (FutureEnding way : FutureEnding.values()) {
          for (Asked asked : Asked.values()) {
            assertNothingIsWritten(session, into, way, asked);
          }
        }
        await().untilAsserted(() -> assertThat(client.slotsInUse()).isZero());
      }
    }
  }

  private static RdmaUpgradeProvider device(Fabric fabric, String name, String address) {
    return new RdmaUpgradeProvider(
        fabric.addHost(name, InetAddress.ofLiteral(address)),
        RdmaSettings.DEFAULT,
        NanoClock.SYSTEM);
  }

  private void assertNothingIsWritten(
      Session session, MemorySegment into, FutureEnding way, Asked asked) throws Exception {
    CountDownLatch gate = new CountDownLatch(1);
    goOn = gate;
    into.fill((byte) 0);
    CompletableFuture<Received> future = asked.begin(session, into);
    await()
        .pollInterval(Duration.ofMillis(1))
        .atMost(LONGEST)
        .until(() -> into.get(ValueLayout.JAVA_BYTE, 1 << 20) == INK);
    way.end(future);
    awaitEnd(future);
    into.fill(MARK);
    gate.countDown();
    // A whole object behind whatever was under way.
    goOn = new CountDownLatch(0);
    GalleryRpc.client(session).show(BEHIND, Landing.pooled(BEHIND)).close();
    assertThat(into.mismatch(marked(into)))
        .as("first byte written, %s %s", way, asked)
        .isEqualTo(-1);
  }

  private static MemorySegment marked(MemorySegment like) {
    return MemorySegment.ofArray(new byte[(int) like.byteSize()]).fill(MARK);
  }

  private static void awaitEnd(CompletableFuture<?> future) throws Exception {
    try {
      future.get(LONGEST.toSeconds(), TimeUnit.SECONDS);
    } catch (ExecutionException | CancellationException e) {
      assertThat(future).isDone(); // as it was asked to
    }
  }
}
