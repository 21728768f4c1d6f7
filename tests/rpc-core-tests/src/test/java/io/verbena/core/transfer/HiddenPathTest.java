package io.verbena.core.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.Landing.ChunkConsumer;
import io.verbena.api.bulk.ObjectRef;
import io.verbena.api.bulk.PushHandler;
import io.verbena.api.bulk.Received;
import io.verbena.api.bulk.Source;
import io.verbena.api.bulk.Transfer;
import io.verbena.api.bulk.TransferException;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Messages to a peer have a file's name, but not its place on this machine. */
class HiddenPathTest {
  private static final String NAME = "book.bin";

  /** A file whose first page no process has: it can be opened, and its first byte not be read. */
  private static final Path UNMAPPED = Path.of("/proc/self/mem");

  @TempDir
  @SuppressWarnings("NullAway.Init") // by JUnit
  Path directory;

  private Opener opener = path -> Received.from(Source.of(new byte[0]));
  private final BulkWorld bulk =
      new BulkWorld(false, server -> server.serve(LibraryRpc.bind(new Served())));

  /** How a handler comes to answer with a file. */
  @FunctionalInterface
  private interface Opener {
    Received open(Path path) throws Exception;
  }

  private final class Served implements Library {
    @Override
    public Received read(String title, Landing into) {
      try {
        return opener.open(Path.of(title));
      } catch (RuntimeException e) {
        throw e;
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    }

    @Override
    public Loan borrow(String title) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Received cover(Landing into, int page) {
      throw new UnsupportedOperationException();
    }
  }

  @AfterEach
  void close() {
    bulk.assertNothingLeft();
    bulk.close();
  }

  static Stream<Arguments> notThere() {
    return Stream.of(
        way("asked for its length", path -> Received.from(Source.file(path))),
        way("opened when it is sent", path -> Received.from(Source.file(path, 0, 10))),
        way(
            "wrapped",
            path -> {
              try {
                return Received.from(Source.file(path));
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            }));
  }

  private static Arguments way(String name, Opener opener) {
    return Arguments.of(name, opener);
  }

  private RpcException answer(Opener by) {
    return answer(directory.resolve(NAME), by);
  }

  private RpcException answer(Path path, Opener by) {
    opener = by;
    return bulk.awaitFailure(
        LibraryRpc.async(bulk.session).read(path.toString(), Landing.pooled(100)),
        RpcException.class);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("notThere")
  void aFileThatIsNotThereIsTheCallersToMend(String name, Opener by) {
    RpcException failure = answer(by);
    assertThat(failure.status()).as(name).isEqualTo(RpcStatus.INVALID_ARGUMENT);
    assertThat(failure).hasMessageContaining("'" + NAME + "' is not there");
    assertThat(failure.getMessage()).doesNotContain(directory.toString());
  }

  static Stream<Arguments> cannotBeRead() {
    return Stream.of(
        way("asked for its length", path -> Received.from(Source.file(path))),
        way("opened when it is sent", path -> Received.from(Source.file(path, 0, 10))),
        way(
            "one of several",
            path ->
                Received.from(Source.gathered(Source.of(new byte[10]), Source.file(path, 0, 10)))));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("cannotBeRead")
  void aDirectoryIsTheHandlersTrouble(String name, Opener by) throws IOException {
    Files.createDirectory(directory.resolve(NAME));
    RpcException failure = answer(by);
    assertThat(failure.status()).as(name).isEqualTo(RpcStatus.INTERNAL);
    assertThat(failure).hasMessageContaining("'" + NAME + "'").hasMessageContaining("directory");
    assertThat(failure.getMessage()).doesNotContain(directory.toString());
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("cannotBeRead")
  void aFileThatTheSystemCannotReadIsTheHandlersTrouble(String name, Opener by) {
    assumeTrue(Files.isReadable(UNMAPPED), UNMAPPED + " is Linux's");
    RpcException failure = answer(UNMAPPED, by);
    assertThat(failure.status()).as(name).isEqualTo(RpcStatus.INTERNAL);
    assertThat(failure).hasMessageContaining("'mem'").hasMessageContaining("Input/output error");
    assertThat(failure.getMessage()).doesNotContain("/proc");
  }

  @Test
  void aFileOfAnOlderPackageIsHiddenToo() {
    Opener stream =
        path -> {
          try (FileInputStream in = new FileInputStream(path.toFile())) {
            return Received.from(Source.of(in.readAllBytes()));
          }
        };
    aFileThatIsNotThereIsTheCallersToMend("java.io", stream);
    RpcException failure = answer(directory, stream);
    assertThat(failure.status()).isEqualTo(RpcStatus.INTERNAL);
    assertThat(failure).hasMessageContaining("'" + directory.getFileName() + "'");
    assertThat(failure.getMessage()).doesNotContain(directory.toString());
  }

  @Test
  void whatUsersCodeInATransferCouldNotOpenIsHiddenToo() throws IOException {
    Path file = directory.resolve(NAME);
    ObjectRef made =
        bulk.publish(Source.generator(10, (chunk, offset) -> Files.readAllBytes(file)));
    hidden(bulk.fetch(made, Landing.pooled(10)));
    ChunkConsumer consumer = (chunk, offset) -> Files.readAllBytes(file);
    for (PushHandler taker :
        List.<PushHandler>of(
            offer -> Landing.chunks(consumer),
            offer -> {
              throw new UncheckedIOException(new NoSuchFileException(file.toString()));
            })) {
      bulk.open();
      bulk.accepted.getFirst().objects().onPush(taker);
      hidden(bulk.session.objects().push("push", Source.of(new byte[100])));
    }
  }

  private void hidden(Transfer transfer) {
    TransferException failure = bulk.awaitFailure(transfer);
    assertThat(failure).hasMessageContaining("NoSuchFileException").hasMessageContaining(NAME);
    assertThat(failure.getMessage()).doesNotContain(directory.toString());
  }

  @Test
  void aFileThatMayNotBeReadIsTheHandlersTrouble() {
    RpcException failure =
        answer(
            path -> {
              throw new AccessDeniedException(path.toString());
            });
    assertThat(failure.status()).isEqualTo(RpcStatus.INTERNAL);
    assertThat(failure).hasMessageContaining(NAME);
    assertThat(failure.getMessage()).doesNotContain(directory.toString());
  }

  @Test
  void whoFetchesAFileThatBecameShorterLearnsItsNameAlone() throws Exception {
    Path file = Files.write(directory.resolve(NAME), new byte[100_000]);
    ObjectRef ref = bulk.publish(Source.file(file));
    Files.write(file, new byte[10]);
    TransferException failure = bulk.awaitFailure(bulk.fetch(ref, Landing.pooled(100_000)));
    assertThat(failure).hasMessageContaining(NAME);
    assertThat(failure.getMessage()).doesNotContain(directory.toString());
  }

  @Test
  void whoPushesIntoAFileThatCannotBeOpenedLearnsItsNameAlone() {
    Path inside = directory.resolve("missing").resolve(NAME);
    bulk.open();
    bulk.accepted.getFirst().objects().onPush(offer -> Landing.file(inside));
    TransferException failure =
        bulk.awaitFailure(bulk.session.objects().push("push", Source.of(new byte[100])));
    assertThat(failure.status()).isEqualTo(RpcStatus.INVALID_ARGUMENT);
    assertThat(failure).hasMessageContaining(NAME);
    assertThat(failure.getMessage()).doesNotContain(directory.toString());
  }
}
