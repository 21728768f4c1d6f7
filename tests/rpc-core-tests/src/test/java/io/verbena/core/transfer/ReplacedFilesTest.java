package io.verbena.core.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.verbena.api.RpcStatus;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.ObjectRef;
import io.verbena.api.bulk.Source;
import io.verbena.api.bulk.Transfer;
import io.verbena.api.bulk.TransferException;
import io.verbena.testkit.JavaProcess;
import java.io.File;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A received file replaces the present one, or fails if it cannot. */
class ReplacedFilesTest {
  private static final int LENGTH = 3 << 20;

  private final BulkWorld bulk = new BulkWorld();
  private final MemorySegment bytes = bulk.bytes(LENGTH, 4);

  @TempDir
  @SuppressWarnings("NullAway.Init") // by JUnit
  Path directory;

  @TempDir
  @SuppressWarnings("NullAway.Init") // by JUnit
  Path library;

  @AfterEach
  void close() {
    bulk.assertNothingLeft();
    bulk.close();
  }

  private static String permissions(Path file) throws IOException {
    return PosixFilePermissions.toString(
        Files.getPosixFilePermissions(file, LinkOption.NOFOLLOW_LINKS));
  }

  private Path file(String name, String permissions) throws IOException {
    Path file = Files.writeString(directory.resolve(name), "before");
    return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
  }

  private void land(Path file) {
    bulk.await(bulk.fetch(bulk.publish(Source.of(bytes)), Landing.file(file))).close();
  }

  private void assertIsAt(Path file) throws IOException {
    assertThat(Files.readAllBytes(file)).isEqualTo(bytes.toArray(ValueLayout.JAVA_BYTE));
  }

  private Path part(Path file) {
    return file.resolveSibling(file.getFileName() + ".verbena.part");
  }

  @Test
  void aFileKeepsItsPermissionsAndANewOneHasThoseOfNewFiles() throws IOException {
    for (String mode : List.of("rw-------", "rw-r-----", "rw-rw-rw-", "rwxr-x--x")) {
      Path file = file("secret", mode);
      land(file);
      assertIsAt(file);
      assertThat(permissions(file)).isEqualTo(mode);
    }
    String usual = permissions(Files.createFile(directory.resolve("usual")));
    Path fresh = directory.resolve("fresh");
    land(fresh);
    assertThat(permissions(fresh)).isEqualTo(usual);
    try (var all = Files.list(directory)) {
      assertThat(all).hasSize(3);
    }
  }

  @Test
  void aFileKeepsItsOwnerAndGroupIfThisUserMayGiveFilesAway() throws IOException {
    Path file = file("foreign", "rw-r-----");
    try {
      Files.setAttribute(file, "unix:uid", 12345);
      Files.setAttribute(file, "unix:gid", 54321);
    } catch (IOException e) {
      assumeTrue(false, "this user may not give files away");
    }
    land(file);
    assertIsAt(file);
    assertThat(Files.getAttribute(file, "unix:uid")).isEqualTo(12345);
    assertThat(Files.getAttribute(file, "unix:gid")).isEqualTo(54321);
    assertThat(permissions(file)).isEqualTo("rw-r-----");
  }

  @Test
  void nobodyElseReadsAFileThatIsNotComplete() throws IOException {
    for (Path file : List.of(file("open", "rw-rw-rw-"), directory.resolve("fresh"))) {
      Transfer transfer = bulk.fetch(bulk.publish(Source.of(bytes)), Landing.file(file));
      while (!Files.exists(part(file)) || Files.size(part(file)) == 0) {
        bulk.steps(1);
      }
      assertThat(permissions(part(file))).isEqualTo("rw-------");
      bulk.await(transfer).close();
    }
  }

  @Test
  void aPartThatOthersMayReadIsTakenFromThem() throws IOException {
    Path file = directory.resolve("file");
    Files.write(part(file), new byte[10]);
    Transfer transfer = bulk.fetch(bulk.publish(Source.of(bytes)), Landing.file(file));
    while (Files.size(part(file)) <= 10) {
      bulk.steps(1);
    }
    assertThat(permissions(part(file))).isEqualTo("rw-------");
    bulk.await(transfer).close();
  }

  @Test
  void aSymbolicLinkIsReplacedAndWhatItPointsToStays() throws IOException {
    Path target = file("target", "rw-------");
    Path link = Files.createSymbolicLink(directory.resolve("link"), target);
    land(link);
    assertIsAt(link);
    assertThat(Files.isSymbolicLink(link)).isFalse();
    assertThat(permissions(link)).isEqualTo("rw-------");
    assertThat(Files.readString(target)).isEqualTo("before");
  }

  @Test
  void bytesStayWhereOnlyTheLastMoveFailsAndATransferToThemGoesOn() throws IOException {
    Path file = directory.resolve("landing");
    ObjectRef ref = bulk.publish(Source.of(bytes));
    Transfer transfer = bulk.fetch(ref, Landing.file(file));
    while (!Files.exists(part(file))) {
      bulk.steps(1);
    }
    Files.createDirectory(file);
    Files.createFile(file.resolve("in the way"));
    TransferException failure = bulk.awaitFailure(transfer);
    assertThat(failure.status()).isEqualTo(RpcStatus.RESOURCE_EXHAUSTED);
    assertThat(failure).hasMessageContaining("cannot move " + part(file));
    assertThat(part(file)).exists();
    Files.delete(file.resolve("in the way"));
    Files.delete(file);
    Transfer again = bulk.fetch(ref, Landing.file(file));
    bulk.await(again).close();
    assertThat(again.progress().resumedFrom()).isEqualTo(2 << 20);
    assertIsAt(file);
    try (var all = Files.list(directory)) {
      assertThat(all).hasSize(1);
    }
  }

  @Test
  void aPushThatFailedLateIsTriedAgainAtOnceAndIsNotToldOfAnother() throws IOException {
    Path file = directory.resolve("landing");
    bulk.open();
    bulk.accepted.getFirst().objects().onPush(offer -> Landing.file(file));
    Transfer first = bulk.session.objects().push("it", Source.of(bytes));
    while (!Files.exists(part(file))) {
      bulk.steps(1);
    }
    Files.createDirectory(file);
    Files.createFile(file.resolve("in the way"));
    assertThat(bulk.awaitFailure(first)).hasMessageContaining("cannot move");
    Files.delete(file.resolve("in the way"));
    Files.delete(file);
    bulk.await(bulk.session.objects().push("it", Source.of(bytes))).close();
    bulk.world.settle();
    assertIsAt(file);
  }

  /** Lands in the file of its arguments. */
  static final class Lands {
    @SuppressWarnings("SystemOut") // read by the test
    public static void main(String[] args) throws IOException {
      try (BulkWorld bulk = new BulkWorld()) {
        ObjectRef ref = bulk.publish(Source.of(bulk.bytes(LENGTH, 4)));
        Transfer transfer = bulk.fetch(ref, Landing.file(Path.of(args[0])));
        try {
          bulk.await(transfer).close();
          System.out.println("landed");
        } catch (RuntimeException e) {
          System.out.println(transfer.progress().bytes() + " bytes: " + e.getCause());
        }
      }
    }
  }

  private static String output(List<String> command) throws Exception {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String all =
        new String(
            process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
    assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
    return all;
  }

  private static JavaProcess.Builder lands(Path landing) {
    return JavaProcess.of(Lands.class, landing.toString()).mergesErrors();
  }

  /** Returns the class path with copies of its libraries, which all users may read. */
  private String readable() throws IOException {
    Files.setPosixFilePermissions(library, PosixFilePermissions.fromString("rwxr-xr-x"));
    StringJoiner path = new StringJoiner(File.pathSeparator);
    for (String one : JavaProcess.classPath().split(File.pathSeparator, 0)) {
      Path file = Path.of(one);
      path.add(
          Files.isRegularFile(file)
              ? Files.copy(file, library.resolve(file.getFileName())).toString()
              : one);
    }
    return path.toString();
  }

  @Test
  void aMountPointIsRefusedBeforeTheFirstByte() throws Exception {
    Path file = file("mounted on", "rw-r--r--");
    Path mounted = file("mounted", "rw-r--r--");
    String mount = "mount --bind '%s' '%s'".formatted(mounted, file);
    List<String> unshare = List.of("unshare", "--map-root-user", "--mount");
    try {
      List<String> trying = new ArrayList<>(unshare);
      trying.addAll(List.of("sh", "-c", mount));
      assumeTrue(output(trying).isEmpty(), "no mount namespaces here");
    } catch (IOException e) {
      assumeTrue(false, "no unshare here");
    }
    String all = lands(file).under(unshare).after(mount).run(Duration.ofMinutes(1)).out();
    assertThat(all).contains("0 bytes: ", "INVALID_ARGUMENT", "it is a mount point");
    assertThat(Files.readString(mounted)).isEqualTo("before");
    try (var there = Files.list(directory)) {
      assertThat(there).hasSize(2);
    }
  }

  @Test
  void anothersFileInAStickyDirectoryIsRefusedBeforeTheFirstByte() throws Exception {
    Path file = file("foreign", "rw-rw-rw-");
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxrwxrwx"));
    List<String> other = List.of("setpriv", "--reuid=12345", "--clear-groups", "--");
    try {
      assumeTrue(output(List.of("chmod", "+t", directory.toString())).isEmpty());
      List<String> asking = new ArrayList<>(other);
      asking.addAll(List.of("sh", "-c", "test -r \"$0\" && id -u", classes()));
      String who = output(asking);
      assumeTrue(who.strip().equals("12345"), "no other user here: " + who);
    } catch (IOException e) {
      assumeTrue(false, "no setpriv here");
    }
    String all = lands(file).classPath(readable()).under(other).run(Duration.ofMinutes(1)).out();
    assertThat(all).contains("0 bytes: ", "INVALID_ARGUMENT", "its directory is sticky");
    assertThat(Files.readString(file)).isEqualTo("before");
    try (var there = Files.list(directory)) {
      assertThat(there).hasSize(1);
    }
  }

  private static String classes() {
    return Path.of("target", "test-classes").toAbsolutePath().toString();
  }
}
