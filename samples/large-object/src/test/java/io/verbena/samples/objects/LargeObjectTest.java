package io.verbena.samples.objects;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.api.Session;
import io.verbena.api.bulk.TransferException;
import io.verbena.core.VerbenaClient;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One file, two who fetch it. */
class LargeObjectTest {
  private static final int BYTES = 40_000_003;

  @TempDir private Path directory;
  private Path file;
  private final ByteArrayOutputStream screen = new ByteArrayOutputStream();

  @BeforeEach
  void makeAFile() throws IOException {
    byte[] content = new byte[BYTES];
    new Random(17).nextBytes(content);
    file = Files.write(directory.resolve("film"), content);
  }

  private Callable<Path> fetcher(String address, String to) {
    return () -> {
      try (VerbenaClient client = VerbenaClient.builder().build();
          Session session = client.connect(address)) {
        Path target = Files.createDirectory(directory.resolve(to));
        return Fetch.fetch(session, target, new PrintStream(screen, true, StandardCharsets.UTF_8));
      }
    };
  }

  @Test
  void twoClientsFetchTheSameFileAtOnce() throws Exception {
    try (ShareServer share = ShareServer.start("127.0.0.1:0", file);
        ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<Path> one = clients.submit(fetcher(share.address(), "one"));
      Future<Path> two = clients.submit(fetcher(share.address(), "two"));
      assertThat(Files.mismatch(one.get(), file)).isEqualTo(-1);
      assertThat(Files.mismatch(two.get(), file)).isEqualTo(-1);
    }
    assertThat(screen.toString(StandardCharsets.UTF_8))
        .contains("film [##############################] 100 %");
  }

  @Test
  void whatIsNoLongerSharedCannotBeFetchedAndLeavesNoFile() throws Exception {
    try (ShareServer share = ShareServer.start("127.0.0.1:0", file)) {
      share.stopSharing();
      assertThatThrownBy(fetcher(share.address(), "late")::call)
          .isInstanceOf(TransferException.class)
          .hasMessageContaining("object");
    }
    assertThat(directory.resolve("late")).isEmptyDirectory();
  }
}
