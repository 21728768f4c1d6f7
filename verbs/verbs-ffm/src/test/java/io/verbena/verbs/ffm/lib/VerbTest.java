package io.verbena.verbs.ffm.lib;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.verbs.ext.Errno;
import io.verbena.verbs.ext.VerbsException;
import java.io.IOException;
import java.io.Writer;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The meaning of results of C functions, by some of the C library's. */
class VerbTest {
  private final Arena arena = Arena.ofAuto();
  private final NativeLibrary libc = NativeLibrary.libc();

  private int waiting(int fd) throws VerbsException {
    MemorySegment pollfd = arena.allocate(8, 4);
    pollfd.set(JAVA_INT, 0, fd);
    pollfd.set(JAVA_SHORT, 4, Libc.POLLIN);
    return Libc.poll(pollfd, 1, 0);
  }

  @Test
  void descriptorsStatusesAndCountsArrive() throws Exception {
    int event = Libc.eventfd();
    assertThat(waiting(event)).isZero();
    Libc.eventfdWrite(event);
    assertThat(waiting(event)).isOne();
    int epoll = Libc.epollCreate();
    MemorySegment ready = arena.allocate(12, 4);
    ready.set(JAVA_INT, 0, Libc.POLLIN);
    Libc.epollAdd(epoll, event, ready);
    assertThat(Libc.epollWait(epoll, ready, 1, 0)).isOne();
    Libc.eventfdRead(event, arena.allocate(JAVA_LONG));
    assertThat(Libc.epollWait(epoll, ready, 1, 0)).isZero();
    Libc.epollForget(epoll, event);
    Libc.letGo(event);
    Libc.close(event);
    Libc.close(epoll);
  }

  /** As that of a channel may be that was destroyed. */
  @Test
  void aNumberThatIsAFilesByNowIsForgotten(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("file");
    int epoll = Libc.epollCreate();
    try (Writer _ = Files.newBufferedWriter(file);
        Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
      List<Path> links = open.filter(link -> isTo(link, file)).toList();
      assertThat(links).hasSize(1);
      Libc.epollForget(epoll, Integer.parseInt(links.getFirst().getFileName().toString()));
    }
    Libc.close(epoll);
  }

  private static boolean isTo(Path link, Path file) {
    try {
      return Files.isSameFile(link, file);
    } catch (IOException closed) {
      return false;
    }
  }

  @Test
  void nothingToReadIsNoFailureOfWhatDoesNotBlock() throws Exception {
    int event = Libc.eventfd();
    Libc.nonBlocking(event);
    Libc.eventfdRead(event, arena.allocate(JAVA_LONG));
    Libc.close(event);
  }

  @Test
  void aFailureNamesTheCallAndTheReason() {
    assertThatThrownBy(() -> Libc.close(-1))
        .isInstanceOfSatisfying(
            VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EBADF))
        .hasMessageContaining("close failed with EBADF");
    assertThatThrownBy(() -> Libc.epollWait(-1, arena.allocate(12), 1, 0))
        .hasMessageContaining("epoll_wait failed with EBADF");
  }

  @Test
  void aPointerIsWhatTheFunctionReturnsAndNullAFailure() throws Exception {
    MemorySegment text = arena.allocateFrom("a=b");
    Verb find = libc.control("strchr", FunctionDescriptor.of(ADDRESS, ADDRESS, JAVA_INT));
    assertThat(find.pointer(text, (int) '=').address()).isEqualTo(text.address() + 1);
    assertThatThrownBy(() -> find.pointer(text, (int) '?'))
        .isInstanceOf(VerbsException.class)
        .hasMessageContaining("strchr");
  }
}
