package io.verbena.it.lived;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.verbena.api.Session;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.ObjectRef;
import io.verbena.api.bulk.Received;
import io.verbena.api.bulk.Source;
import io.verbena.api.bulk.Transfer;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.core.bulk.FilePlace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** Landings in a real file system that takes no writes for a while, which only root can have. */
@EnabledIfSystemProperty(named = "verbena.long", matches = "true")
final class FrozenDiskTest {
  private static final int HUNG = 40;
  private static final int OBJECT_BYTES = 1 << 20;
  private static final Duration LEASE = Duration.ofMinutes(10);
  private static final Duration SOON = Duration.ofSeconds(30);

  /** A file system of its own in a file. */
  private static final class Disk implements AutoCloseable {
    final Path root;
    private boolean frozen;

    Disk(Path directory) throws IOException {
      Path image = directory.resolve("image");
      root = Files.createDirectory(directory.resolve("disk"));
      boolean mounted =
          does("truncate", "-s", "128M", image.toString())
              && does("mkfs.ext4", "-q", image.toString())
              && does("mount", "-o", "loop", image.toString(), root.toString());
      assumeTrue(mounted, "no file system can be mounted here");
      awaitKnown();
    }

    /** The product knows of a new file system within a second. */
    private void awaitKnown() {
      long end = System.nanoTime() + SOON.toNanos();
      while (!FilePlace.of(root.resolve("file")).name().equals(root.toString())) {
        assertThat(System.nanoTime()).isLessThan(end);
        LockSupport.parkNanos(this, 10_000_000);
      }
    }

    private static boolean does(String... command) {
      try {
        Process process = new ProcessBuilder(command).inheritIO().start();
        return process.onExit().get(60, TimeUnit.SECONDS).exitValue() == 0;
      } catch (IOException e) { // there is no such command
        return false;
      } catch (InterruptedException | ExecutionException | TimeoutException e) {
        throw new AssertionError(String.join(" ", command), e);
      }
    }

    void freeze() {
      frozen = does("fsfreeze", "--freeze", root.toString());
      assumeTrue(frozen, "no file system can be frozen here");
    }

    void thaw() {
      if (frozen) {
        frozen = false;
        assertThat(does("fsfreeze", "--unfreeze", root.toString())).isTrue();
      }
    }

    @Override
    public void close() {
      thaw();
      assertThat(does("umount", "--lazy", root.toString())).isTrue();
    }
  }

  @Test
  void holdsUpItsOwnFilesAlone(@TempDir Path directory) throws Exception {
    byte[] bytes = new byte[OBJECT_BYTES];
    bytes[OBJECT_BYTES - 1] = 1;
    try (Disk disk = new Disk(directory);
        VerbenaServer server = VerbenaServer.builder().listen("127.0.0.1:0").start();
        VerbenaClient client = VerbenaClient.builder().build()) {
      Session session = client.connect(server.address().toString());
      ObjectRef ref = server.publish(Source.of(bytes), LEASE).ref();
      disk.freeze();
      List<Transfer> hung = new ArrayList<>();
      for (int i = 0; i < HUNG; i++) {
        hung.add(session.objects().fetch(ref, Landing.file(disk.root.resolve("file " + i))));
      }
      for (int i = 0; i < 3; i++) {
        try (Received inMemory =
            session.objects().fetch(ref, Landing.pooled(OBJECT_BYTES)).get(SOON)) {
          assertThat(inMemory.length()).isEqualTo(OBJECT_BYTES);
        }
        Path healthy = directory.resolve("healthy " + i);
        session.objects().fetch(ref, Landing.file(healthy)).get(SOON).close();
        assertThat(healthy).hasBinaryContent(bytes);
      }
      assertThat(hung).noneMatch(one -> one.result().toCompletableFuture().isDone());
      disk.thaw();
      for (int i = 0; i < HUNG; i++) {
        hung.get(i).get(SOON.multipliedBy(4)).close();
        assertThat(disk.root.resolve("file " + i)).hasBinaryContent(bytes);
      }
    }
  }
}
