package io.verbena.core.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.api.RpcStatus;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.Source;
import io.verbena.api.bulk.Transfer;
import io.verbena.api.bulk.TransferException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Pushes of files that wait for their turn hold no files open. */
class QueuedPushesTest {
  private static final int PUSHES = 3_000;
  private static final int MOST_AT_ONCE = 256;

  private final BulkWorld bulk = new BulkWorld();

  @TempDir
  @SuppressWarnings("NullAway.Init") // by JUnit
  Path directory;

  private Path file;

  @BeforeEach
  void open() throws IOException {
    file = Files.write(directory.resolve("source"), new byte[5_000]);
    bulk.open();
    bulk.accepted.getFirst().objects().onPush(offer -> Landing.pooled(offer.length()));
  }

  @AfterEach
  void close() throws IOException {
    bulk.assertNothingLeft();
    bulk.close();
    assertThat(descriptors()).isZero();
  }

  /** Returns the number of descriptors of the file. */
  private long descriptors() throws IOException {
    long count = 0;
    try (var all = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
      for (Path one : all) {
        try {
          count += Files.readSymbolicLink(one).equals(file.toRealPath()) ? 1 : 0;
        } catch (IOException e) {
          // closed meanwhile
        }
      }
    }
    return count;
  }

  private List<Transfer> push(int count) throws IOException {
    List<Transfer> all = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      all.add(bulk.session.objects().push("it", Source.gathered(Source.file(file))));
    }
    return all;
  }

  @Test
  void aSourceIsOpenedInItsTurn() throws IOException {
    List<Transfer> all = push(PUSHES);
    assertThat(descriptors()).isZero();
    long most = 0;
    while (!all.stream().allMatch(BulkWorld::isOver)) {
      bulk.steps(50);
      most = Math.max(most, descriptors());
    }
    assertThat(most).isBetween(1L, (long) MOST_AT_ONCE);
    all.forEach(bulk::await);
  }

  @Test
  void aMissingFileIsReportedAtOnceAndOneThatIsDeletedWhileItWaitsInItsTurn() throws IOException {
    assertThatThrownBy(
            () ->
                bulk.session.objects().push("it", Source.file(directory.resolve("missing"), 0, 1)))
        .isInstanceOf(UncheckedIOException.class);
    List<Transfer> all = push(MOST_AT_ONCE + 10);
    for (int i = 0; i < 3; i++) {
      bulk.world.runHandlers();
      bulk.world.step();
    }
    Path elsewhere = Files.move(file, directory.resolve("moved"));
    TransferException failure = bulk.awaitFailure(all.getLast());
    assertThat(failure.status()).isEqualTo(RpcStatus.INVALID_ARGUMENT);
    assertThat(failure).hasMessageContaining("cannot open " + file);
    bulk.await(all.getFirst()).close();
    Files.move(elsewhere, file);
  }

  @Test
  void pushesThatAreCancelledWhileTheirFilesAreOpenedLeaveNoneOpen() throws IOException {
    List<Transfer> all = push(MOST_AT_ONCE + 10);
    bulk.world.step(); // the first ones are being opened
    all.forEach(Transfer::cancel);
    for (Transfer one : all) {
      assertThat(bulk.awaitFailure(one).status()).isEqualTo(RpcStatus.CANCELLED);
    }
    bulk.await(push(1).getFirst()).close();
  }
}
