package io.verbena.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.verbena.api.RpcStatus;
import io.verbena.api.Session;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.Published;
import io.verbena.api.bulk.Source;
import io.verbena.api.bulk.Transfer;
import io.verbena.api.bulk.TransferException;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.core.bulk.stat.BulkStats;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An object on its way over loopback is cancelled by the end that did not begin it. */
class OtherEndCancelsTest {
  private static final Duration LONGEST = Duration.ofSeconds(60);
  private static final long MORE_THAN_EVER_COMES = 1L << 38;

  private final CompletableFuture<Session> accepted = new CompletableFuture<>();
  private final VerbenaServer server =
      VerbenaServer.builder()
          .listen("127.0.0.1:0")
          .serve(HouseRpc.bind(new PlainHouse()))
          .onSession(accepted::complete)
          .start();
  private final VerbenaClient client = VerbenaClient.builder().build();
  private final Session session = client.connect(server.address().toString());

  @TempDir
  @SuppressWarnings("NullAway.Init") // by JUnit
  Path directory;

  @AfterEach
  void leavesNothingBehind() {
    await().atMost(LONGEST).until(() -> isFree(client.bulkStats()) && isFree(server.bulkStats()));
    assertThat(directory.resolve("landed")).doesNotExist();
    client.close();
    server.close();
  }

  private static boolean isFree(BulkStats stats) {
    return stats.memoryInUse() + stats.quarantined() + stats.sending() + stats.receiving() == 0;
  }

  /** A file that is a hole; the kernel sends it by itself. */
  private Source endless() throws IOException {
    Path path = directory.resolve("sparse");
    try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
      file.setLength(MORE_THAN_EVER_COMES);
    }
    return Source.file(path);
  }

  private static void assertCancelled(Transfer begun, Transfer other) {
    await()
        .atMost(LONGEST)
        .until(() -> begun.progress().bytes() > 0 && other.progress().bytes() > 0);
    assertThat(other.cancel()).isTrue();
    TransferException failure =
        catchThrowableOfType(TransferException.class, () -> begun.get(LONGEST));
    assertThat(failure.status()).isEqualTo(RpcStatus.CANCELLED);
    assertThat(failure.offset()).isPositive().isLessThan(MORE_THAN_EVER_COMES);
    assertThat(failure)
        .hasMessageStartingWith(failure.object())
        .hasMessageContaining(" failed at offset " + failure.offset())
        .hasMessageEndingWith("on the other end: it was cancelled");
    TransferException here =
        catchThrowableOfType(TransferException.class, () -> other.get(LONGEST));
    assertThat(here.status()).isEqualTo(RpcStatus.CANCELLED);
    assertThat(here.object()).isEqualTo(failure.object());
  }

  @Test
  void whoIsPushedToCancels() throws Exception {
    CompletableFuture<Transfer> offered = new CompletableFuture<>();
    Session there = accepted.get(LONGEST.toSeconds(), TimeUnit.SECONDS);
    there
        .objects()
        .onPush(
            offer -> {
              offered.complete(offer.transfer());
              return Landing.chunks((chunk, offset) -> {});
            });
    Transfer push = session.objects().push("endless", endless());
    assertCancelled(push, offered.get(LONGEST.toSeconds(), TimeUnit.SECONDS));
  }

  @Test
  void whoHasPublishedCancels() throws Exception {
    try (Published published = server.publish(endless(), LONGEST)) {
      Landing landing = Landing.chunks((chunk, offset) -> {});
      Transfer fetch = session.objects().fetch(published.ref(), landing);
      await().atMost(LONGEST).until(() -> published.fetches().size() == 1);
      Published.Fetch there = published.fetches().getFirst();
      assertThat(there.peer()).isEqualTo(accepted.join().peer());
      assertCancelled(fetch, there.transfer());
      await().atMost(LONGEST).until(() -> published.fetches().isEmpty());
      assertThat(published.isAvailable()).isTrue();
    }
  }
}
