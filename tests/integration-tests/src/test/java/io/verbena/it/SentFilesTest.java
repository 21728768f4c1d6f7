package io.verbena.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.verbena.api.RpcStatus;
import io.verbena.api.Session;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.Published;
import io.verbena.api.bulk.Source;
import io.verbena.api.bulk.TransferException;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Files that the kernel sends by itself over TCP: without a checksum, so that nobody reads them.
 */
class SentFilesTest {
  private static final Duration LEASE = Duration.ofMinutes(10);
  private static final Duration LONGEST = Duration.ofMinutes(5);
  private static final int BYTES = 64 << 20;

  private final VerbenaServer server =
      VerbenaServer.builder().listen("127.0.0.1:0").serve(HouseRpc.bind(new PlainHouse())).start();
  private final VerbenaClient client = VerbenaClient.builder().build();
  private final Session session = client.connect(server.address().toString());

  @TempDir
  @SuppressWarnings("NullAway.Init") // by JUnit
  Path directory;

  private Path path = Path.of("");

  @BeforeEach
  void write() throws IOException {
    path = directory.resolve("file");
    Pattern.write(path, BYTES);
  }

  @AfterEach
  void close() {
    client.close();
    server.close();
  }

  private FileChannel open() throws IOException {
    return FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
  }

  private Source source(boolean byChannel, FileChannel open) throws IOException {
    return byChannel ? Source.file(open, 0, BYTES) : Source.file(path);
  }

  private void fetch(Published published, Landing.ChunkConsumer into) throws Exception {
    session.objects().fetch(published.ref(), Landing.chunks(into)).get(LONGEST).close();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void arriveWithoutPassingThroughTheSendersMemory(boolean byChannel) throws Exception {
    Pattern.Checker checker = new Pattern.Checker();
    try (FileChannel open = open();
        Published published = server.publish(source(byChannel, open), LEASE)) {
      fetch(
          published,
          (chunk, offset) -> {
            checker.accept(chunk, offset);
            assertThat(server.bulkStats().memoryInUse()).as("blocks to read into").isZero();
          });
      assertThat(open.position()).isZero();
    }
    assertThat(checker.checked()).isEqualTo(BYTES);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void failWhenTheyBecomeShorterAndTheSessionGoesOn(boolean byChannel) throws Exception {
    try (FileChannel open = open();
        Published published = server.publish(source(byChannel, open), LEASE)) {
      TransferException failure = failureOf(published, (chunk, offset) -> open.truncate(1000));
      assertThat(failure.status()).isEqualTo(RpcStatus.INVALID_ARGUMENT);
      assertThat(failure).hasMessageContaining("ends at 1000: it became shorter");
    }
    assertThat(HouseRpc.client(session).add(1)).isPositive();
  }

  @Test
  void failWhenTheirChannelIsClosedAndTheSessionGoesOn() throws Exception {
    FileChannel open = open();
    try (Published published = server.publish(source(true, open), LEASE)) {
      TransferException failure = failureOf(published, (chunk, offset) -> open.close());
      assertThat(failure.status()).isEqualTo(RpcStatus.INVALID_ARGUMENT);
      assertThat(failure).hasMessageContaining("its channel was closed");
    }
    assertThat(HouseRpc.client(session).add(1)).isPositive();
  }

  /** A directory stands for a disk, or a network file system, that fails meanwhile. */
  @Test
  void failWhenTheyCannotBeReadAndTheSessionGoesOn() throws Exception {
    try (FileChannel open = FileChannel.open(directory);
        Published published = server.publish(Source.file(open, 0, 10), LEASE)) {
      TransferException failure = failureOf(published, (chunk, offset) -> {});
      assertThat(failure.status()).isEqualTo(RpcStatus.INTERNAL);
      assertThat(failure).hasMessageContaining("cannot read ");
    }
    assertThat(HouseRpc.client(session).add(1)).isPositive();
  }

  /** What the kernel makes up when it is read has a size of which less is there. */
  @Tag("long")
  @Test
  void failWhenLessIsThereThanTheirSizeAndTheSessionGoesOn() throws Exception {
    path = Path.of("/sys/devices/system/cpu/online");
    assumeThat(path).isReadable();
    assumeThat(Files.readAllBytes(path).length).isLessThan((int) Files.size(path));
    try (Published published = server.publish(Source.file(path), LEASE)) {
      TransferException failure = failureOf(published, (chunk, offset) -> {});
      assertThat(failure.status()).isEqualTo(RpcStatus.INVALID_ARGUMENT);
      assertThat(failure).hasMessageContaining(path.getFileName() + " ends before ");
    }
    assertThat(client.bulkStats().resumed()).as("links lost over it").isZero();
    assertThat(HouseRpc.client(session).add(1)).isPositive();
  }

  private TransferException failureOf(Published published, Landing.ChunkConsumer into) {
    return catchThrowableOfType(TransferException.class, () -> fetch(published, into));
  }
}
