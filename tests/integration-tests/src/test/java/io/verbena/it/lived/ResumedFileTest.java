package io.verbena.it.lived;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.verbena.api.CallContext;
import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;
import io.verbena.api.RpcStatus;
import io.verbena.api.Session;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.ObjectRef;
import io.verbena.api.bulk.Source;
import io.verbena.api.bulk.Transfer;
import io.verbena.api.bulk.TransferException;
import io.verbena.core.SessionLimits;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.testkit.JavaProcess;
import io.verbena.testkit.abuse.ThrottledProxy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A process dies by SIGKILL midway in a file, and another one goes on with it. */
@Timeout(60)
@Tag("long")
class ResumedFileTest {
  private static final int BLOCK = 1 << 20;
  private static final int LENGTH = 24 * BLOCK + 4321;
  private static final int BLOCKS_BEFORE = 4;
  private static final int SUMS_HEADER = 16;

  /** The whole of it takes two seconds. */
  private static final long BITS_PER_SECOND = 100_000_000;

  private static final Duration LONGEST = Duration.ofSeconds(40);
  private static final SessionLimits LIMITS =
      SessionLimits.DEFAULT.withResumeWindow(Duration.ofMillis(500));

  @TempDir
  @SuppressWarnings("NullAway.Init") // by JUnit
  Path directory;

  @SuppressWarnings("NullAway.Init") // before each
  private Path original;

  @SuppressWarnings("NullAway.Init") // before each
  private Path copy;

  /** Has one file. */
  @RpcService(name = "archive.v1")
  interface Archive {
    @RpcMethod(id = 1)
    ObjectRef file();
  }

  /** Publishes a file to whoever asks. */
  private record Publishing(Path published) implements Archive {
    @Override
    public ObjectRef file() {
      try {
        return CallContext.current()
            .session()
            .objects()
            .publish(Source.file(published), LONGEST)
            .ref();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /** A server of a file: where it listens, and the file. */
  static final class Sender {
    private Sender() {}

    public static void main(String[] args) throws IOException {
      try (VerbenaServer server = serving(Path.of(args[0]))) {
        System.out.println(server.address());
        JavaProcess.endWithParent();
      }
    }
  }

  /** A client that fetches it: from where, and into which file. It prints what came over a link. */
  static final class Receiver {
    private Receiver() {}

    public static void main(String[] args) throws Exception {
      try (VerbenaClient client = VerbenaClient.builder().limits(LIMITS).build();
          Session session = client.connect(args[0])) {
        begin(session, Path.of(args[1])).get(LONGEST).close();
        System.out.println(client.bulkStats().bytesReceived());
        JavaProcess.endWithParent();
      }
    }
  }

  private static VerbenaServer serving(Path file) throws IOException {
    return VerbenaServer.builder()
        .listen("127.0.0.1:0")
        .limits(LIMITS)
        .serve(ResumedFileTest_ArchiveRpc.bind(new Publishing(file)))
        .start();
  }

  private static Transfer begin(Session session, Path into) {
    ObjectRef file = ResumedFileTest_ArchiveRpc.client(session).file();
    return session.objects().fetch(file, Landing.file(into));
  }

  @BeforeEach
  void writeTheOriginal() throws IOException {
    byte[] content = new byte[LENGTH];
    new Random(5).nextBytes(content);
    original = Files.write(directory.resolve("original"), content);
    copy = directory.resolve("copy");
  }

  private long known() throws IOException {
    Path sums = directory.resolve("copy.verbena.sums");
    return Files.exists(sums) ? Math.max(0, Files.size(sums) - SUMS_HEADER) / Integer.BYTES : 0;
  }

  private void awaitMidway() throws Exception {
    while (known() < BLOCKS_BEFORE) {
      Thread.sleep(2);
    }
  }

  private void assertWhole() throws IOException {
    assertThat(Files.mismatch(copy, original)).isEqualTo(-1);
    assertThat(directory.resolve("copy.verbena.part")).doesNotExist();
    assertThat(directory.resolve("copy.verbena.sums")).doesNotExist();
  }

  @Test
  void theReceivingProcessDies() throws Exception {
    try (VerbenaServer server = serving(original)) {
      try (ThrottledProxy line = new ThrottledProxy(server.address(), BITS_PER_SECOND);
          JavaProcess first = JavaProcess.start(Receiver.class, line.address(), copy.toString())) {
        awaitMidway();
        first.kill();
      }
      assertThat(copy).doesNotExist();
      long good = known() * BLOCK;
      try (JavaProcess second =
          JavaProcess.start(Receiver.class, server.address().toString(), copy.toString())) {
        assertThat(Long.parseLong(second.line())).isEqualTo(LENGTH - good);
      }
    }
    assertWhole();
  }

  @Test
  void theSendingProcessDies() throws Exception {
    try (VerbenaClient client = VerbenaClient.builder().limits(LIMITS).build()) {
      try (JavaProcess first = JavaProcess.start(Sender.class, original.toString());
          ThrottledProxy line = new ThrottledProxy(URI.create(first.line()), BITS_PER_SECOND);
          Session session = client.connect(line.address())) {
        Transfer transfer = begin(session, copy);
        awaitMidway();
        first.kill();
        TransferException lost =
            catchThrowableOfType(TransferException.class, () -> transfer.get(LONGEST));
        assertThat(lost.status()).isEqualTo(RpcStatus.UNAVAILABLE);
      }
      assertThat(copy).doesNotExist();
      long good = known() * BLOCK;
      long before = client.bulkStats().bytesReceived();
      try (JavaProcess second = JavaProcess.start(Sender.class, original.toString());
          Session session = client.connect(second.line())) {
        begin(session, copy).get(LONGEST).close();
      }
      assertThat(client.bulkStats().bytesReceived() - before).isEqualTo(LENGTH - good);
    }
    assertWhole();
  }
}
