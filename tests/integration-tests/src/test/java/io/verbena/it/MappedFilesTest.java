package io.verbena.it;

import static io.verbena.api.region.Regions.ATOMIC;
import static io.verbena.api.region.Regions.READ;
import static io.verbena.api.region.Regions.WRITE;
import static java.nio.file.StandardOpenOption.CREATE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.Session;
import io.verbena.api.SessionState;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.Published;
import io.verbena.api.bulk.Source;
import io.verbena.api.bulk.TransferException;
import io.verbena.api.bulk.TransferOptions;
import io.verbena.api.region.ExposedRegion;
import io.verbena.api.region.RegionRef;
import io.verbena.api.region.Regions;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.link.TlsOptions;
import io.verbena.testkit.TestIdentity;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Mapped files that become shorter while they are sent, landed in, or exposed, over TCP and TLS.
 */
class MappedFilesTest {
  private static final Duration LEASE = Duration.ofMinutes(10);
  private static final Duration LONGEST = Duration.ofMinutes(1);
  private static final int BYTES = 64 << 20;

  @TempDir
  @SuppressWarnings("NullAway.Init") // by JUnit
  Path directory;

  /** A file, mapped. */
  private record Mapped(FileChannel file, MemorySegment memory) {
    static Mapped at(Path path, Arena arena) throws IOException {
      FileChannel file =
          FileChannel.open(path, CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
      return new Mapped(file, file.map(FileChannel.MapMode.READ_WRITE, 0, BYTES, arena));
    }

    void cut() throws IOException {
      file.truncate(0);
    }
  }

  /** What a server and a client do, of which the server has published something. */
  private interface Transferring {
    void run(VerbenaServer server, Session session) throws Exception;
  }

  private void run(boolean tls, Transferring transferring) throws Exception {
    VerbenaServer.Builder serving =
        VerbenaServer.builder().listen("127.0.0.1:0").serve(HouseRpc.bind(new PlainHouse()));
    VerbenaClient.Builder calling = VerbenaClient.builder();
    if (tls) {
      TestIdentity key = TestIdentity.create("CN=server", "ip:127.0.0.1");
      serving.tls(TlsOptions.server(key.trusting()));
      calling.tls(TlsOptions.client(TestIdentity.nobodyTrusting(key)));
    }
    try (VerbenaServer server = serving.start();
        VerbenaClient client = calling.build()) {
      Session session = client.connect(server.address().toString());
      transferring.run(server, session);
      assertThat(HouseRpc.client(session).add(1)).isPositive();
    }
  }

  private static void assertFault(Published published, Session session, Landing into, boolean sum) {
    TransferOptions options =
        sum ? TransferOptions.DEFAULT.withChecksum() : TransferOptions.DEFAULT;
    TransferException failure =
        catchThrowableOfType(
            TransferException.class,
            () -> session.objects().fetch(published.ref(), into, options).get(LONGEST).close());
    assertThat(failure.status()).isEqualTo(RpcStatus.INTERNAL);
    assertThat(failure).hasMessageContaining("a fault occurred");
  }

  @ParameterizedTest
  @CsvSource({"false, false", "false, true", "true, false", "true, true"})
  void failATransferThatSendsThemAndTheSessionGoesOn(boolean tls, boolean sum) throws Exception {
    run(
        tls,
        (server, session) -> {
          try (Arena arena = Arena.ofShared()) {
            Mapped mapped = Mapped.at(directory.resolve("mapped"), arena);
            try (mapped.file;
                Published published = server.publish(Source.of(mapped.memory), LEASE)) {
              assertFault(published, session, Landing.chunks((chunk, offset) -> mapped.cut()), sum);
            }
          }
        });
  }

  @ParameterizedTest
  @CsvSource({"false, false", "false, true", "true, false", "true, true"})
  void failATransferThatLandsInThemAndTheSessionGoesOn(boolean tls, boolean sum) throws Exception {
    run(
        tls,
        (server, session) -> {
          try (Arena arena = Arena.ofShared()) {
            Mapped mapped = Mapped.at(directory.resolve("mapped"), arena);
            Source source =
                Source.generator(
                    BYTES,
                    (chunk, offset) -> {
                      if (offset > BYTES / 16) {
                        mapped.cut();
                      }
                    });
            try (mapped.file;
                Published published = server.publish(source, LEASE)) {
              assertFault(published, session, Landing.of(mapped.memory), sum);
            }
          }
        });
  }

  /** An atomic operation on memory that is not there ends a JVM, where a read or a write throws. */
  @Test
  void failRequestsOfARegionInThemAndTheSessionGoesOn() throws Exception {
    CompletableFuture<Session> peer = new CompletableFuture<>();
    try (VerbenaServer server =
            VerbenaServer.builder().listen("127.0.0.1:0").onSession(peer::complete).start();
        VerbenaClient client = VerbenaClient.builder().build();
        Arena arena = Arena.ofShared()) {
      Session session = client.connect(server.address().toString());
      Mapped mapped = Mapped.at(directory.resolve("mapped"), arena);
      try (mapped.file;
          ExposedRegion exposed =
              session.regions().expose(mapped.memory, READ | WRITE | ATOMIC, LEASE)) {
        RegionRef ref = exposed.ref();
        Regions regions = peer.get(60, TimeUnit.SECONDS).regions();
        // the reference came faster than the session tells that there are regions
        await()
            .ignoreExceptions()
            .untilAsserted(() -> assertThat(regions.getAndAdd(ref, 0, 1).get()).isZero());
        mapped.cut();
        MemorySegment words = MemorySegment.ofArray(new long[2]);
        assertFault(regions.getAndAdd(ref, 0, 1));
        assertFault(regions.compareAndSet(ref, 0, 0, 1));
        assertFault(regions.get(ref, 0, words));
        assertFault(regions.put(ref, 0, words));
      }
      assertThat(session.state()).isEqualTo(SessionState.OPEN);
    }
  }

  private static void assertFault(CompletableFuture<?> request) {
    assertThat(request)
        .failsWithin(LONGEST)
        .withThrowableThat()
        .havingCause()
        .isInstanceOf(RpcException.class)
        .withMessageContaining("a fault occurred");
  }
}
