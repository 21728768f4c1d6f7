package io.verbena.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.link.LocalSockets;
import java.io.IOException;
import java.net.ConnectException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The contract of {@link LocalSockets}: two loops, stepped by one thread. */
public abstract class LocalSocketsContract {
  /** A loop with its sockets. */
  public interface Loop extends AutoCloseable {
    LocalSockets sockets();

    /** Waits until a socket is ready, or the time is over, and runs watchers. */
    void await(Duration longest);

    @Override
    void close();
  }

  /** The bytes that a watcher reads at once. Watchers run on threads of their own, too. */
  private static final int MOST = 64;

  private static final Duration LONG = Duration.ofSeconds(60);

  private final List<AutoCloseable> open = new ArrayList<>();
  private Path path = Path.of("");
  private final Loop loop;
  private final Loop other;

  /** Makes two loops. */
  protected LocalSocketsContract(Supplier<? extends Loop> loops) {
    loop = loops.get();
    other = loops.get();
  }

  @BeforeEach
  void choosePath(@TempDir Path base) {
    path = base.resolve("bell");
  }

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable one : open.reversed()) {
      one.close();
    }
    loop.close();
    other.close();
  }

  private <C extends AutoCloseable> C closed(C opened) {
    open.add(opened);
    return opened;
  }

  private static void until(Loop waiting, BooleanSupplier condition) {
    long end = System.nanoTime() + LONG.toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as("nobody ended the wait in time").isLessThan(end);
      assertThat(waiting.sockets().arm(0)).isTrue();
      waiting.await(LONG);
    }
  }

  /** Two ends of one connection; the first is of {@code loop}. */
  private record Ends(LocalSockets.Connected near, LocalSockets.Connected far) {}

  private Ends connected() throws IOException {
    LocalSockets.Listening server = closed(loop.sockets().listen(path, 4));
    AtomicReference<LocalSockets.Connected> accepted = new AtomicReference<>();
    server.watch(() -> accepted.compareAndSet(null, accept(server)));
    LocalSockets.Connected far = closed(other.sockets().connect(path));
    until(loop, () -> accepted.get() != null);
    return new Ends(closed(Objects.requireNonNull(accepted.get())), far);
  }

  private static LocalSockets.Connected accept(LocalSockets.Listening server) {
    try {
      return Objects.requireNonNull(server.accept());
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static int read(LocalSockets.Connected from) {
    try {
      return from.read(ByteBuffer.allocateDirect(MOST));
    } catch (ClosedChannelException e) { // the test is over
      return -1;
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static void write(LocalSockets.Connected to, int bytes) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocateDirect(bytes);
    assertThat(to.write(buffer)).isEqualTo(bytes);
    assertThat(buffer.position()).isEqualTo(bytes);
  }

  @Test
  void aByteEndsTheWait() throws Exception {
    Ends ends = connected();
    AtomicInteger read = new AtomicInteger();
    ends.near.watch(() -> read.addAndGet(read(ends.near)));
    for (int i = 1; i <= 100; i++) {
      write(ends.far, 1);
      int expected = i;
      until(loop, () -> read.get() == expected);
    }
    assertThat(read(ends.near)).isZero();
  }

  @Test
  void bytesThatAreLeftEndTheNextWaitToo() throws Exception {
    Ends ends = connected();
    ConcurrentLinkedQueue<Integer> read = new ConcurrentLinkedQueue<>();
    write(ends.far, 50);
    write(ends.far, 50);
    ends.near.watch(() -> read.add(read(ends.near)));
    until(loop, () -> read.size() == 2);
    assertThat(read).containsExactly(64, 36);
  }

  @Test
  void bothEndsTalk() throws Exception {
    Ends ends = connected();
    AtomicInteger answered = new AtomicInteger();
    ends.far.watch(() -> answered.addAndGet(read(ends.far)));
    write(ends.near, 7);
    until(other, () -> answered.get() == 7);
  }

  @Test
  void theEndOfTheStreamIsToldUntilNobodyWatches() throws Exception {
    Ends ends = connected();
    AtomicInteger runs = new AtomicInteger();
    AtomicInteger last = new AtomicInteger();
    ends.near.watch(
        () -> {
          last.set(read(ends.near));
          if (runs.incrementAndGet() == 3) {
            ends.near.unwatch();
          }
        });
    ends.far.close();
    until(loop, () -> runs.get() == 3);
    assertThat(last.get()).isEqualTo(-1);
    for (int i = 0; i < 3; i++) {
      assertThat(loop.sockets().arm(1_000_000)).isTrue();
      loop.await(LONG);
    }
    assertThat(runs.get()).isEqualTo(3);
  }

  @Test
  void aTimeEndsTheWait() {
    assertThat(loop.sockets().arm(2_000_000)).isTrue();
    long begun = System.nanoTime();
    loop.await(LONG);
    assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(LONG.dividedBy(2));
  }

  @Test
  void aListeningSocketPausesAndGoesOn() throws Exception {
    LocalSockets.Listening server = closed(loop.sockets().listen(path, 4));
    AtomicInteger told = new AtomicInteger();
    server.watch(
        () -> {
          told.incrementAndGet();
          server.unwatch();
        });
    LocalSockets.Connected _ = closed(other.sockets().connect(path));
    until(loop, () -> told.get() == 1);
    assertThat(loop.sockets().arm(1_000_000)).isTrue();
    loop.await(LONG);
    assertThat(told.get()).isEqualTo(1);
    ConcurrentLinkedQueue<LocalSockets.Connected> accepted = new ConcurrentLinkedQueue<>();
    server.watch(() -> accepted.add(accept(server)));
    until(loop, () -> accepted.size() == 1);
    closed(accepted.remove());
    assertThat(server.accept()).isNull();
  }

  @Test
  void aWatcherMayCloseItsSocket() throws Exception {
    Ends ends = connected();
    AtomicInteger runs = new AtomicInteger();
    ends.near.watch(
        () -> {
          runs.incrementAndGet();
          int _ = read(ends.near); // otherwise the peer is told of bytes that nobody read
          try {
            ends.near.close();
          } catch (IOException e) {
            throw new AssertionError(e);
          }
        });
    AtomicInteger end = new AtomicInteger();
    ends.far.watch(
        () -> {
          end.set(read(ends.far));
          ends.far.unwatch();
        });
    write(ends.far, 1);
    until(loop, () -> runs.get() == 1);
    // The system releases the socket when the loop looks again, at the latest.
    assertThat(loop.sockets().arm(1_000_000)).isTrue();
    loop.await(LONG);
    until(other, () -> end.get() != 0);
    assertThat(runs.get()).isEqualTo(1);
  }

  @Test
  void nobodyListens() throws Exception {
    assertThatThrownBy(() -> loop.sockets().connect(path)).isInstanceOf(IOException.class);
    loop.sockets().listen(path, 4).close();
    assertThatThrownBy(() -> loop.sockets().connect(path)).isInstanceOf(ConnectException.class);
  }

  @Test
  void tooManyConnectAtOnce() throws Exception {
    LocalSockets.Listening _ = closed(loop.sockets().listen(path, 1));
    assertThatExceptionOfType(IOException.class)
        .isThrownBy(
            () -> {
              for (int i = 0; i < 64; i++) {
                LocalSockets.Connected _ = closed(other.sockets().connect(path));
              }
            })
        .isNotInstanceOf(ConnectException.class);
  }

  @Test
  void aPathThatIsTakenIsRefused() throws Exception {
    LocalSockets.Listening first = closed(loop.sockets().listen(path, 4));
    assertThatThrownBy(() -> other.sockets().listen(path, 4)).isInstanceOf(IOException.class);
    LocalSockets.Connected _ = closed(other.sockets().connect(path));
    closed(accept(first));
  }

  @Test
  void aPathThatIsTooLongIsRefused() {
    Path tooLong = path.resolveSibling("b".repeat(120));
    assertThatThrownBy(() -> loop.sockets().listen(tooLong, 4)).isInstanceOf(IOException.class);
    assertThatThrownBy(() -> loop.sockets().connect(tooLong)).isInstanceOf(IOException.class);
  }
}
