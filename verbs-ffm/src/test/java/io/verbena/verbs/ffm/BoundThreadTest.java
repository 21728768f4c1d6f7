package io.verbena.verbs.ffm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.verbena.verbs.ext.Errno;
import io.verbena.verbs.ext.VerbsException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;

/** Real threads of this host. */
class BoundThreadTest {
  private static final Path SELF = Path.of("/proc/thread-self/status");

  private static String processors() throws IOException {
    return Files.readAllLines(SELF).stream()
        .filter(line -> line.startsWith("Cpus_allowed_list:"))
        .map(line -> line.substring(line.indexOf('\t') + 1))
        .findFirst()
        .orElseThrow();
  }

  private static int firstOf(String processors) {
    return Integer.parseInt(processors.split("[-,]", 2)[0]);
  }

  private static String onceBound(BitSet processors) throws Exception {
    CompletableFuture<String> seen = new CompletableFuture<>();
    Thread.ofPlatform()
        .daemon()
        .start(
            () -> {
              try {
                FfmProvider.shared().bindThread(0, processors);
                seen.complete(processors());
              } catch (Throwable e) {
                seen.completeExceptionally(e);
              }
            });
    return seen.get();
  }

  @Test
  void aThreadIsBoundAndNoOther() throws Exception {
    String before = processors();
    BitSet first = new BitSet();
    first.set(firstOf(before));
    assertThat(onceBound(first)).isEqualTo("" + firstOf(before));
    assertThat(processors()).as("this thread's").isEqualTo(before);
  }

  /** Masks are as long as they have to be, and the kernel's own length is nobody's business. */
  @Test
  void processorsThatAreNotThereArePassedOver() throws Exception {
    BitSet more = new BitSet();
    more.set(firstOf(processors()));
    more.set(5_000);
    assertThat(onceBound(more)).isEqualTo("" + firstOf(processors()));
  }

  @Test
  void aThreadCannotBeBoundToNothing() {
    BitSet absent = new BitSet();
    absent.set(5_000);
    Throwable refusal = catchThrowableOfType(ExecutionException.class, () -> onceBound(absent));
    assertThat(refusal.getCause())
        .isInstanceOfSatisfying(
            VerbsException.class,
            e -> {
              assertThat(e.call()).isEqualTo("sched_setaffinity");
              assertThat(e.errno()).isEqualTo(Errno.EINVAL);
            });
  }
}
