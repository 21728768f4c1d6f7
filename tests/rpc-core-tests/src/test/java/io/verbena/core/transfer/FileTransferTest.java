package io.verbena.core.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.verbena.api.RpcStatus;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.ObjectRef;
import io.verbena.api.bulk.Source;
import io.verbena.api.bulk.Transfer;
import io.verbena.api.bulk.TransferException;
import io.verbena.testkit.JavaProcess;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Failures of files, at either end. */
class FileTransferTest {
  private final BulkWorld bulk = new BulkWorld();

  @TempDir
  @SuppressWarnings("NullAway.Init") // by JUnit
  Path directory;

  @AfterEach
  void close() {
    bulk.assertNothingLeft();
    bulk.close();
  }

  @Test
  void whatAnEarlierProcessLeftBesideAFileIsReplacedButAnotherTransferIsNot() throws IOException {
    Path file = directory.resolve("landing");
    Path beside = directory.resolve("landing.verbena.part");
    Files.write(beside, new byte[2 << 20]);
    MemorySegment bytes = bulk.bytes(1 << 20, 4);
    ObjectRef ref = bulk.publish(Source.of(bytes));
    Transfer first = bulk.fetch(ref, Landing.file(file));
    bulk.steps(8);
    Path link = Files.createSymbolicLink(directory.resolve("link"), directory);
    Path roundabout = directory.resolve("..").resolve(directory.getFileName());
    for (Path same : List.of(directory, link, roundabout)) {
      Path again = same.resolve("landing");
      Transfer second = bulk.fetch(ref, Landing.file(again));
      for (int i = 0; i < 50 && !BulkWorld.isOver(second); i++) {
        bulk.steps(1);
      }
      assertThat(first.progress().bytes()).as("of the first").isLessThan(1 << 20);
      assertThat(bulk.awaitFailure(second))
          .hasMessageContaining("another transfer goes to " + again)
          .hasMessageContaining("an earlier one of this session");
    }
    assertThat(isLockedForOthers(beside)).as("the first one's lock outlives the others").isTrue();
    bulk.await(first);
    assertThat(Files.readAllBytes(file)).isEqualTo(bytes.toArray(ValueLayout.JAVA_BYTE));
    assertThat(beside).doesNotExist();
  }

  @Test
  void aFileIsSyncedOnceUnlessItsReceiverDoesWithoutThat() throws IOException {
    Path file = directory.resolve("landing");
    ObjectRef ref = bulk.publish(Source.of(bulk.bytes(1 << 20, 4)));
    assertThat(syncs(ref, Landing.file(file))).isEqualTo(1);
    assertThat(syncs(ref, Landing.file(file).withoutSync())).isZero();
    assertThat(file).hasSize(1 << 20);
  }

  private long syncs(ObjectRef ref, Landing into) throws IOException {
    Path events = directory.resolve("events.jfr");
    try (Recording recording = new Recording()) {
      recording.enable("jdk.FileForce").withoutThreshold();
      recording.start();
      bulk.await(bulk.fetch(ref, into));
      recording.stop();
      recording.dump(events);
    }
    String landing = directory.resolve("landing").toString();
    return RecordingFile.readAllEvents(events).stream()
        .filter(event -> event.getEventType().getName().equals("jdk.FileForce"))
        .filter(event -> event.getString("path").startsWith(landing))
        .count();
  }

  /** Tries to lock a file, and says whether it could. */
  static final class OtherProcess {
    public static void main(String[] args) throws IOException {
      try (FileChannel open = FileChannel.open(Path.of(args[0]), StandardOpenOption.WRITE)) {
        System.out.println(open.tryLock() == null ? "locked" : "free");
      }
    }
  }

  private static boolean isLockedForOthers(Path file) throws IOException {
    try (JavaProcess other = JavaProcess.start(OtherProcess.class, file.toString())) {
      String found = other.line();
      assertThat(found).isIn("locked", "free");
      return found.equals("locked");
    }
  }

  @Test
  void aFileThatBecomesShorterFails() throws IOException {
    Path file = directory.resolve("shrinking");
    Files.write(file, new byte[8 << 20]);
    ObjectRef ref = bulk.publish(Source.file(file));
    Transfer transfer = bulk.fetch(ref, Landing.of(bulk.room(8 << 20)));
    bulk.steps(8);
    try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
      open.setLength(100_000);
    }
    assertThat(bulk.awaitFailure(transfer)).hasMessageContaining("became shorter");
  }

  @Test
  void aChannelThatIsClosedTooEarlyFailsItsTransferAlone() throws IOException {
    Path file = Files.write(directory.resolve("file"), new byte[8 << 20]);
    Transfer transfer;
    try (FileChannel open = FileChannel.open(file)) {
      ObjectRef ref = bulk.publish(Source.file(open, 0, 8 << 20));
      transfer = bulk.fetch(ref, Landing.of(bulk.room(8 << 20)));
      bulk.steps(8);
    }
    TransferException failure = bulk.awaitFailure(transfer);
    assertThat(failure.status()).isEqualTo(RpcStatus.INVALID_ARGUMENT);
    assertThat(failure).hasMessageContaining("its channel was closed");
    bulk.await(bulk.fetch(bulk.publish(Source.file(file)), Landing.pooled(8 << 20))).close();
  }

  @Test
  void aChannelThatCannotBeReadIsRefused() throws IOException {
    Path file = Files.write(directory.resolve("file"), new byte[10]);
    FileChannel open = FileChannel.open(file, StandardOpenOption.WRITE);
    Source source = Source.file(open, 0, 10);
    assertThatThrownBy(() -> bulk.publish(source))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("open for reading");
    open.close();
    assertThatThrownBy(() -> bulk.publish(source)).isInstanceOf(UncheckedIOException.class);
    assertThatThrownBy(() -> Source.file(open, 1, -1))
        .hasMessageContaining("length must be at least 0, not -1");
  }

  @Test
  void anInterruptedThreadClosesNoChannelOfItsUsers() throws IOException {
    Path file = Files.write(directory.resolve("file"), new byte[10]);
    try (FileChannel open = FileChannel.open(file)) {
      Thread.currentThread().interrupt();
      ObjectRef ref = bulk.publish(Source.file(open, 0, 10));
      assertThat(Thread.interrupted()).as("still interrupted").isTrue();
      bulk.await(bulk.fetch(ref, Landing.pooled(10))).close();
    }
  }

  @Test
  void aFillerThatLeavesItsThreadInterruptedClosesNoFileBehindIt() throws IOException {
    Path file = Files.write(directory.resolve("file"), new byte[10]);
    Source filler = Source.generator(10, (chunk, offset) -> Thread.currentThread().interrupt());
    ObjectRef ref = bulk.publish(Source.gathered(filler, Source.file(file)));
    for (int i = 0; i < 2; i++) {
      bulk.await(bulk.fetch(ref, Landing.file(directory.resolve("copy")))).close();
    }
  }

  @Test
  void aFileThatIsLongerThanItsSystemSaysIsNoSource() throws IOException {
    Path made = Path.of("/proc/version");
    assumeTrue(Files.exists(made));
    Source source = Source.file(made);
    assertThat(source.length()).isZero();
    assertThatThrownBy(() -> bulk.publish(source))
        .isInstanceOf(UncheckedIOException.class)
        .hasMessageContainingAll(made.toString(), "it has bytes, but the size 0");
  }

  @Test
  void aDirectoryIsNoSource() {
    assertIsNoSource(directory, "Is a directory");
  }

  @Test
  void aDeviceIsNoSource() {
    Path device = Path.of("/dev/zero");
    assumeTrue(Files.exists(device));
    assertIsNoSource(device, "it is not a regular file");
  }

  /** To open it for reading would wait for a program that writes into it. */
  @Test
  void aPipeIsNoSource() throws Exception {
    Path pipe = directory.resolve("pipe");
    Process making = new ProcessBuilder("mkfifo", pipe.toString()).start();
    assumeTrue(making.waitFor() == 0);
    assertTimeoutPreemptively(
        Duration.ofSeconds(30), () -> assertIsNoSource(pipe, "it is not a regular file"));
  }

  private void assertIsNoSource(Path path, String why) {
    Source source = Source.file(path, 0, 10);
    assertThatThrownBy(() -> bulk.publish(source))
        .isInstanceOf(UncheckedIOException.class)
        .hasMessageContaining("cannot open " + path)
        .hasMessageContaining(why);
  }

  @Test
  void aRangeBeyondTheEndOfAFileSaysSo() throws IOException {
    Path file = Files.write(directory.resolve("file"), new byte[10]);
    Transfer transfer =
        bulk.fetch(bulk.publish(Source.file(file, 5, 10)), Landing.of(bulk.room(10)));
    TransferException failure = bulk.awaitFailure(transfer);
    assertThat(failure.status()).isEqualTo(RpcStatus.INVALID_ARGUMENT);
    assertThat(failure).hasMessageContaining("file ends at 10: its source has a range beyond that");
  }

  @Test
  void aFileInADirectoryThatDoesNotExistCannotBeOpened() {
    Path into = directory.resolve("missing").resolve("landed");
    assertThat(failureOfLandingIn(into, RpcStatus.INVALID_ARGUMENT))
        .hasMessageContaining("cannot open " + into)
        .hasMessageContaining("no such file or directory");
    assertLeft();
  }

  @Test
  void aFileBelowAnotherFileCannotBeOpened() throws IOException {
    Path file = Files.createFile(directory.resolve("file"));
    Path into = file.resolve("landed");
    assertThat(failureOfLandingIn(into, RpcStatus.INVALID_ARGUMENT))
        .hasMessageContaining("cannot open " + into)
        .hasMessageContaining("not a directory");
    assertLeft(file);
  }

  /** Fetches 8 MiB into a file, and says how that failed. */
  static final class FetchingProcess {
    public static void main(String[] args) {
      BulkWorld bulk = new BulkWorld();
      ObjectRef ref = bulk.publish(Source.of(new byte[8 << 20]));
      Transfer transfer = bulk.fetch(ref, Landing.file(Path.of(args[0])));
      TransferException failure = bulk.awaitFailure(transfer);
      System.out.println(failure.status() + ": " + failure.getMessage());
      bulk.assertNothingLeft();
      bulk.close();
    }
  }

  /** A limit of the process stands for the end of the disk. */
  @Test
  void aFileOnAFullDiskCannotBeWritten() throws Exception {
    Path into = directory.resolve("landed");
    JavaProcess.Builder fetching = JavaProcess.of(FetchingProcess.class, into.toString());
    assertThat(fetching.after("ulimit -f 4096").run(Duration.ofMinutes(1)).out())
        .startsWith(RpcStatus.RESOURCE_EXHAUSTED + ": ")
        .contains("cannot write " + into)
        .contains("File too large");
    assertLeft();
  }

  @Test
  void aFileCannotTakeThePlaceOfADirectoryAndNothingIsMovedForThat() throws IOException {
    Path into = Files.createDirectory(directory.resolve("landed"));
    assertThat(failureOfLandingIn(into, RpcStatus.INVALID_ARGUMENT))
        .hasMessageContaining("failed at offset 0")
        .hasMessageContaining(
            "cannot write " + into + ": it is a directory; add the name of a file");
    assertLeft(into);
  }

  @Test
  void aFileCannotTakeThePlaceOfADirectoryThatIsMadeMeanwhile() throws IOException {
    Path into = directory.resolve("landed");
    ObjectRef ref = bulk.publish(Source.of(bulk.bytes(8 << 20, 5)));
    Transfer transfer = bulk.fetch(ref, Landing.file(into));
    bulk.steps(8);
    Files.createDirectory(into);
    assertThat(bulk.awaitFailure(transfer))
        .hasMessageContaining("cannot move " + into + ".verbena.part to " + into)
        .hasMessageContaining("Is a directory");
    assertLeft(
        into,
        directory.resolve("landed.verbena.part"), // for the next transfer
        directory.resolve("landed.verbena.sums"));
  }

  /** Fetches, and checks what is the same for every file that cannot be landed in. */
  private TransferException failureOfLandingIn(Path into, RpcStatus status) {
    ObjectRef ref = bulk.publish(Source.of(bulk.bytes(100_000, 5)));
    TransferException failure = bulk.awaitFailure(bulk.fetch(ref, Landing.file(into)));
    assertThat(failure.status()).isEqualTo(status);
    assertThat(failure).hasMessageContaining("object " + ref.id());
    assertThat(failure).hasRootCauseInstanceOf(IOException.class);
    return failure;
  }

  private void assertLeft(Path... expected) {
    try (var left = Files.list(directory)) {
      assertThat(left).containsExactlyInAnyOrder(expected);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
