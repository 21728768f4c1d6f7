package io.verbena.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.verbena.api.RpcStatus;
import io.verbena.api.Session;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.ObjectRef;
import io.verbena.api.bulk.Published;
import io.verbena.api.bulk.Transfer;
import io.verbena.api.bulk.TransferException;
import io.verbena.core.VerbenaClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The other end's process dies in the middle of a large object. */
@Tag("long")
class TransferKilledTest {
  private static final Duration LONGEST = Duration.ofSeconds(60);
  private static final long MORE_THAN_EVER_COMES = 1L << 40;

  private final VerbenaClient client = VerbenaClient.builder().limits(HouseProcess.LIMITS).build();

  @AfterEach
  void leavesNothingBehind() {
    await()
        .atMost(LONGEST)
        .until(
            () -> {
              var stats = client.bulkStats();
              return stats.memoryInUse() + stats.quarantined() + stats.sending() + stats.receiving()
                  == 0;
            });
    client.close();
  }

  private static TransferException failureOf(Transfer transfer) {
    return catchThrowableOfType(TransferException.class, () -> transfer.get(LONGEST));
  }

  @Test
  void whoReceivesIsToldHowFarItCame() throws Exception {
    CountDownLatch midway = new CountDownLatch(3);
    Pattern.Checker checker = new Pattern.Checker();
    try (HouseProcess house = new HouseProcess("127.0.0.1:0");
        Session session = client.connect(house.address())) {
      ObjectRef object = DepotRpc.client(session).publish(MORE_THAN_EVER_COMES);
      Landing landing =
          Landing.chunks(
              (chunk, offset) -> {
                checker.accept(chunk, offset);
                midway.countDown();
              });
      Transfer transfer = session.objects().fetch(object, landing);
      assertThat(midway.await(LONGEST.toSeconds(), TimeUnit.SECONDS)).isTrue();
      house.kill();
      TransferException failure = failureOf(transfer);
      assertThat(failure.status()).isEqualTo(RpcStatus.UNAVAILABLE);
      assertThat(failure.offset()).isPositive().isLessThan(MORE_THAN_EVER_COMES);
      assertThat(failure).hasMessageContaining("object").hasMessageContaining("offset");
    }
  }

  @Test
  void whatCameOfAFileStaysBesideItsPlace(@TempDir Path directory) throws Exception {
    try (HouseProcess house = new HouseProcess("127.0.0.1:0");
        Session session = client.connect(house.address())) {
      ObjectRef object = DepotRpc.client(session).publish(1L << 34);
      Transfer transfer = session.objects().fetch(object, Landing.file(directory.resolve("file")));
      Path sums = directory.resolve("file.verbena.sums");
      await().atMost(LONGEST).until(() -> Files.exists(sums));
      house.kill();
      assertThat(failureOf(transfer).status()).isEqualTo(RpcStatus.UNAVAILABLE);
      assertThat(directory.resolve("file")).doesNotExist();
      assertThat(directory.resolve("file.verbena.part")).exists();
      assertThat(sums).exists();
    }
  }

  @Test
  void whoSendsLetsGoOfWhatItSentFrom() throws Exception {
    try (HouseProcess house = new HouseProcess("127.0.0.1:0");
        Session session = client.connect(house.address());
        Published published =
            session.objects().publish(Pattern.source(MORE_THAN_EVER_COMES), LONGEST)) {
      DepotRpc.client(session).beginToFetch(published.ref());
      house.awaitStay();
      assertThat(client.bulkStats().sending()).isEqualTo(1);
      house.kill();
      await().atMost(LONGEST).until(() -> client.bulkStats().sending() == 0);
    }
  }
}
