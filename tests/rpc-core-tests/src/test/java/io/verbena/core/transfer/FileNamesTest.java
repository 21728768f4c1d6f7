package io.verbena.core.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.verbena.api.RpcStatus;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.Source;
import io.verbena.api.bulk.Transfer;
import io.verbena.api.bulk.TransferException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.StandardProtocolFamily;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Names of files: of those that arrive, of those that others have beside them, and long ones. */
class FileNamesTest {
  private static final String MINE = "mine";

  /** More blocks than one, so that checksums are kept of some. */
  private static final int LENGTH = 12 << 20;

  private final BulkWorld bulk = new BulkWorld();
  private final MemorySegment content = bulk.bytes(LENGTH, 6);

  @TempDir
  @SuppressWarnings("NullAway.Init") // by JUnit
  Path directory;

  @BeforeEach
  void theServerStoresByName() {
    bulk.open();
    bulk.accepted
        .getFirst()
        .objects()
        .onPush(offer -> Landing.file(directory.resolve(offer.name())));
  }

  @AfterEach
  void close() {
    bulk.assertNothingLeft();
    bulk.close();
  }

  private List<Path> files() throws IOException {
    try (Stream<Path> all = Files.list(directory)) {
      return all.sorted().toList();
    }
  }

  private Transfer push(String name, Source source) {
    return bulk.session.objects().push(name, source);
  }

  /** Begins to push, and returns when bytes and checksums have files. */
  private Transfer midway(String name) throws IOException {
    Transfer transfer = push(name, Source.of(content));
    for (int i = 0; i < 100 && files().size() < 2; i++) {
      bulk.steps(10);
    }
    assertThat(files()).as("files of the transfer").hasSize(2);
    assertThat(BulkWorld.isOver(transfer)).isFalse();
    return transfer;
  }

  /** Begins to push, and returns when the bytes have a file. */
  private Transfer begin(String name) throws IOException {
    Transfer transfer = push(name, Source.of(content));
    for (int i = 0; i < 100 && files().isEmpty(); i++) {
      bulk.steps(1);
    }
    assertThat(files()).hasSize(1);
    return transfer;
  }

  private void awaitBefore(Transfer first, Collection<Transfer> others) {
    for (int i = 0; i < 1000 && !others.stream().allMatch(BulkWorld::isOver); i++) {
      bulk.steps(1);
    }
    assertThat(others).allMatch(BulkWorld::isOver);
    assertThat(BulkWorld.isOver(first)).as("a short push overtakes a long one").isFalse();
  }

  /** Returns the names of the files that an object of this name has before it is complete. */
  private List<String> unfinished(String name) throws IOException {
    Transfer transfer = midway(name);
    List<String> names = files().stream().map(file -> file.getFileName().toString()).toList();
    transfer.cancel();
    assertThat(bulk.awaitFailure(transfer).status()).isEqualTo(RpcStatus.CANCELLED);
    assertThat(directory).isEmptyDirectory();
    return names;
  }

  private void assertArrived(String name) throws IOException {
    assertThat(Files.readAllBytes(directory.resolve(name)))
        .isEqualTo(content.toArray(ValueLayout.JAVA_BYTE));
  }

  @Test
  void anObjectWithTheNameOfAnUnfinishedFileIsRefused() throws IOException {
    List<String> unfinished = unfinished("model");
    Transfer first = begin("model");
    Map<String, Transfer> others = new HashMap<>();
    for (String name : unfinished) {
      for (String same : List.of(name, name.toUpperCase(Locale.ROOT))) {
        others.put(same, push(same, Source.of(new byte[100])));
      }
    }
    awaitBefore(first, others.values());
    others.forEach(
        (name, other) -> {
          TransferException refused = bulk.awaitFailure(other);
          assertThat(refused.status()).isEqualTo(RpcStatus.INVALID_ARGUMENT);
          assertThat(refused)
              .hasMessageContaining("cannot write " + name)
              .hasMessageContaining("choose another name")
              .hasMessageNotContaining(directory.toString());
        });
    bulk.await(first);
    assertArrived("model");
    assertThat(files()).containsExactly(directory.resolve("model"));
  }

  @Test
  void objectsWhoseNamesDifferByACommonEndingDoNotDisturbEachOther() throws IOException {
    Transfer first = begin("model");
    List<String> others = List.of("model.part", "model.part.sums", "model.part.part", "model.tmp");
    byte[] mine = MINE.getBytes(StandardCharsets.UTF_8);
    awaitBefore(first, others.stream().map(other -> push(other, Source.of(mine))).toList());
    bulk.await(first);
    assertArrived("model");
    for (String other : others) {
      assertThat(directory.resolve(other)).hasContent(MINE);
    }
  }

  @Test
  void aFileThatAnotherProgramReplacesMeanwhileFailsAndTheOtherStays() throws IOException {
    Transfer transfer = midway("model");
    List<Path> unfinished = files();
    for (Path file : unfinished) {
      Files.delete(file);
      Files.writeString(file, MINE);
    }
    assertThat(bulk.awaitFailure(transfer))
        .hasMessageContaining("another program has deleted or replaced it");
    assertThat(files()).isEqualTo(unfinished);
    assertThat(unfinished).allSatisfy(file -> assertThat(file).hasContent(MINE));
  }

  @Test
  void aFileThatAnotherProgramDeletesMeanwhileFailsAndNothingStays() throws IOException {
    Transfer transfer = midway("model");
    Path bytes = files().stream().filter(FileNamesTest::isLong).findAny().orElseThrow();
    Files.delete(bytes);
    assertThat(bulk.awaitFailure(transfer))
        .hasMessageContaining("another program has deleted or replaced it");
    assertThat(directory).isEmptyDirectory();
  }

  private static boolean isLong(Path file) {
    return file.toFile().length() > 1000;
  }

  /** As somebody could make it who may write into the directory, but not into its target. */
  @Test
  void aLinkInThePlaceOfAnUnfinishedFileIsNotFollowed() throws IOException {
    List<String> unfinished = unfinished("model");
    Path target = Files.writeString(directory.resolve("target"), MINE);
    for (String name : unfinished) {
      Path link = Files.createSymbolicLink(directory.resolve(name), target);
      Transfer next = push("model", Source.of(content));
      bulk.world.runUntil(() -> BulkWorld.isOver(next));
      assertThat(target).hasContent(MINE);
      assertThat(Files.isSymbolicLink(directory.resolve("model"))).isFalse();
      Files.deleteIfExists(link);
      Files.deleteIfExists(directory.resolve("model"));
    }
  }

  @Test
  void aSocketOrADeviceIsNotReplaced() throws IOException {
    Path socket = directory.resolve("socket");
    try (ServerSocketChannel bound = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      bound.bind(UnixDomainSocketAddress.of(socket));
      TransferException refused = bulk.awaitFailure(push("socket", Source.of(new byte[10])));
      assertThat(refused.status()).isEqualTo(RpcStatus.INVALID_ARGUMENT);
      assertThat(refused).hasMessageContaining("it is not a regular file");
      assertThat(files()).containsExactly(socket);
    }
  }

  private static boolean isInNamesOfFiles(String letter) {
    try {
      return Path.of(letter).toString().equals(letter);
    } catch (InvalidPathException e) {
      return false;
    }
  }

  /** Most file systems count bytes of UTF-8, of which the second letter has two. */
  @ParameterizedTest
  @ValueSource(strings = {"n", "é"})
  void aNameThatIsTooLongIsRefusedBeforeAnythingIsWritten(String letter) throws IOException {
    assumeTrue(isInNamesOfFiles(letter), "file names of this locale lack the letter " + letter);
    int arrived = 0;
    int bytes = letter.getBytes(StandardCharsets.UTF_8).length;
    for (int length = 230 / bytes; length <= 256 / bytes; length++) {
      String name = letter.repeat(length);
      Transfer transfer = push(name, Source.of(content));
      bulk.world.runUntil(() -> BulkWorld.isOver(transfer));
      if (BulkWorld.future(transfer).isCompletedExceptionally()) {
        TransferException refused = bulk.awaitFailure(transfer);
        assertThat(refused).hasMessageContaining("cannot open " + name + ".");
        assertThat(refused.offset()).isZero();
        assertThat(files()).isEmpty();
      } else {
        arrived++;
        assertThat(files()).containsExactly(directory.resolve(name));
        Files.delete(directory.resolve(name));
      }
    }
    assertThat(arrived).as("names that are short enough").isPositive();
  }

  @Test
  void aFileOfAnArchiveIsRefusedWithTheReason() throws IOException {
    URI archive = URI.create("jar:" + directory.resolve("archive.zip").toUri());
    try (FileSystem within = FileSystems.newFileSystem(archive, Map.of("create", "true"))) {
      bulk.accepted.getFirst().objects().onPush(offer -> Landing.file(within.getPath("/model")));
      TransferException refused = bulk.awaitFailure(push("model", Source.of(content)));
      assertThat(refused.status()).isEqualTo(RpcStatus.INVALID_ARGUMENT);
      assertThat(refused).hasMessageContaining("files of 'jar:' cannot be written in place");
    }
  }
}
