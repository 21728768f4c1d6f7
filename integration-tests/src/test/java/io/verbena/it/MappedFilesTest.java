package io.verbena.it;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.verbena.api.RpcStatus;
import io.verbena.api.Session;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.Published;
import io.verbena.api.bulk.Source;
import io.verbena.api.bulk.TransferException;
import io.verbena.api.bulk.TransferOptions;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.link.TlsOptions;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Mapped files that become shorter while they are sent or landed in, over TCP and over TLS. */
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
      FileChannel file = FileChannel.open(path, CREATE, READ, WRITE);
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
      KeyStore key = Certificates.keyStore("server");
      serving.tls(TlsOptions.server(Certificates.context(key)));
      calling.tls(TlsOptions.client(Certificates.trusting(key)));
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
}
