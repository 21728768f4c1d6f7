package io.verbena.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.Session;
import io.verbena.api.Streams;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.Received;
import io.verbena.core.PathPolicy;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.testkit.JavaProcess;
import java.io.File;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Sessions that find shared memory on the class path, as users' do. */
@Timeout(120)
class SessionOverShmTest {
  private static final Duration PATIENCE = Duration.ofSeconds(40);

  private final VerbenaServer server =
      VerbenaServer.builder()
          .serve(LibraryRpc.bind(new Library.Open()))
          .listen("127.0.0.1:0")
          .drainTime(Duration.ofMillis(100))
          .start();
  private final VerbenaClient client = VerbenaClient.builder().build();

  @AfterEach
  void close() {
    client.close();
    server.close();
  }

  static void awaitShm(Session session) {
    await()
        .atMost(PATIENCE)
        .untilAsserted(() -> assertThat(session.path().toString()).startsWith("shm (2.0 MiB in "));
  }

  private Session session() {
    Session session = client.connect(server.address().toString());
    awaitShm(session);
    return session;
  }

  @Test
  void areWithAServerThatIsNamedToo() {
    try (Session session = client.connect("localhost:" + server.address().getPort())) {
      awaitShm(session);
    }
  }

  @Test
  void makeCallsOfEveryLength() {
    Library library = LibraryRpc.client(session());
    for (int length : new int[] {0, 1, 63, 64, 8_000, 300_000, 1_000_000}) {
      String text = "x".repeat(length);
      assertThat(library.echo(text)).isEqualTo(text);
    }
  }

  @Test
  void makeManyCallsAtATime() {
    LibraryRpc.Async library = LibraryRpc.async(session());
    List<CompletableFuture<String>> calls =
        IntStream.range(0, 1_000)
            .mapToObj(i -> library.echo("text " + i).toCompletableFuture())
            .toList();
    for (int i = 0; i < calls.size(); i++) {
      assertThat(calls.get(i).join()).isEqualTo("text " + i);
    }
  }

  /** While calls are made, loops read how long their threads wait for processors. */
  @Test
  void leaveNoFileOpenWhenTheirLoopsEnd() {
    Library library = LibraryRpc.client(session());
    for (int i = 0; i < 3_000; i++) {
      assertThat(library.echo("again")).isEqualTo("again");
    }
    assertThat(filesOfSystem()).isPositive();
    close();
    await().atMost(PATIENCE).untilAsserted(() -> assertThat(filesOfSystem()).isZero());
  }

  private static long filesOfSystem() {
    long found = 0;
    for (File descriptor : Objects.requireNonNull(new File("/proc/self/fd").listFiles())) {
      try {
        if (Files.readSymbolicLink(descriptor.toPath()).endsWith("schedstat")) {
          found++;
        }
      } catch (IOException e) {
        // It was the one by which the directory was read.
      }
    }
    return found;
  }

  @Test
  void streamItems() {
    Library library = LibraryRpc.client(session());
    assertThat(Streams.iterate(library.count(10_000)))
        .toIterable()
        .containsExactlyElementsOf(LongStream.range(0, 10_000).boxed().toList());
  }

  @Test
  void moveObjectsBesideCalls() {
    Session session = session();
    Library library = LibraryRpc.client(session);
    long length = (24 << 20) + 5;
    CompletableFuture<Received> coming =
        LibraryRpc.async(session).bytes(length, Landing.pooled(length)).toCompletableFuture();
    int calls = 0;
    while (!coming.isDone()) {
      assertThat(library.echo("beside")).isEqualTo("beside");
      calls++;
    }
    try (Received all = coming.join()) {
      assertThat(all.length()).isEqualTo(length);
      for (long i = 0; i < length; i++) {
        if (all.memory().get(ValueLayout.JAVA_BYTE, i) != Library.at(i)) {
          throw new AssertionError("byte " + i + " is wrong");
        }
      }
    }
    assertThat(calls).isPositive();
    assertThat(session.path().link()).isEqualTo("shm");
  }

  @Test
  void doWithoutWhereTheSettingsSaySo() {
    try (VerbenaClient tcp = VerbenaClient.builder().path(PathPolicy.TCP_ONLY).build();
        Session session = tcp.connect(server.address().toString())) {
      assertThat(LibraryRpc.client(session).echo("text")).isEqualTo("text");
      assertThat(session.path().toString()).isEqualTo("tcp (tcp-only by policy)");
    }
  }

  @Test
  void areNotRdmaWhereThatIsRequired() {
    try (VerbenaClient rdma = VerbenaClient.builder().path(PathPolicy.REQUIRE_RDMA).build()) {
      assertThatThrownBy(() -> rdma.connect(server.address().toString()))
          .isInstanceOf(RpcException.class)
          .hasMessageContaining("no RDMA link on the class path");
    }
  }

  @Test
  @Tag("long")
  void goOnWithTheServerThatFollowsAKilledOne() throws Exception {
    try (JavaProcess first = ServerProcess.start("0")) {
      String port = first.lineAfter(ServerProcess.PORT);
      Session session = client.connect("127.0.0.1:" + port);
      awaitShm(session);
      Library library = LibraryRpc.client(session);
      assertThat(library.echo("text")).isEqualTo("text");
      first.kill();
      assertThatThrownBy(
              () -> {
                while (true) {
                  library.echo("text"); // until its death is heard of
                }
              })
          .isInstanceOfSatisfying(
              RpcException.class,
              failure -> assertThat(failure.status()).isEqualTo(RpcStatus.UNAVAILABLE));
      try (JavaProcess second = ServerProcess.start(port)) {
        assertThat(second.lineAfter(ServerProcess.PORT)).isEqualTo(port);
        await()
            .atMost(PATIENCE)
            .ignoreExceptions()
            .until(() -> library.echo("again").equals("again"));
        awaitShm(session);
        assertThat(library.echo("text")).isEqualTo("text");
      }
    }
  }

  /** A server in a process of its own, which ends with the test. */
  static final class ServerProcess {
    private static final String PORT = "port ";

    private ServerProcess() {}

    static JavaProcess start(String port) throws IOException {
      return JavaProcess.start(ServerProcess.class, port);
    }

    public static void main(String[] args) throws IOException {
      try (VerbenaServer server =
          VerbenaServer.builder()
              .serve(LibraryRpc.bind(new Library.Open()))
              .listen("127.0.0.1:" + args[0])
              .start()) {
        System.out.println(PORT + server.address().getPort());
        JavaProcess.endWithParent();
      }
    }
  }
}
