package io.verbena.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.verbena.api.Session;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.Published;
import io.verbena.api.bulk.Received;
import io.verbena.api.bulk.Source;
import io.verbena.api.bulk.Transfer;
import io.verbena.api.bulk.TransferOptions;
import io.verbena.core.SessionLimits;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Objects of every length, between a server and a client over loopback. */
class LargeObjectsTest {
  private static final Duration LEASE = Duration.ofMinutes(10);
  private static final Duration LONGEST = Duration.ofMinutes(5);
  private static final long BUDGET = 144 << 20;
  private static final TransferOptions CHECKED = TransferOptions.DEFAULT.withChecksum();

  /** What is used of the budgets of both ends, and a heap that had not been touched so far. */
  private static final long MOST_GROWTH = 2 * BUDGET + (512L << 20);

  private static final long LOOK_EVERY = 32 << 20;

  private final AtomicLong mostAnonymous = new AtomicLong();
  private final VerbenaServer server =
      VerbenaServer.builder()
          .listen("127.0.0.1:0")
          .bulkMemoryBytes(BUDGET)
          .serve(HouseRpc.bind(new PlainHouse()))
          .start();
  private final VerbenaClient client = VerbenaClient.builder().bulkMemoryBytes(BUDGET).build();
  private final Session session = client.connect(server.address().toString());

  @AfterEach
  void leavesNothingBehind() {
    await()
        .atMost(Duration.ofSeconds(60))
        .until(
            () -> client.bulkStats().memoryInUse() == 0 && server.bulkStats().memoryInUse() == 0);
    client.close();
    server.close();
  }

  private Received fetch(Published published, Landing into) throws Exception {
    return session.objects().fetch(published.ref(), into, CHECKED).get(LONGEST);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 4097, 1_000_003, 1 << 25, (1 << 26) - 1})
  void goFromMemoryToMemory(int bytes) throws Exception {
    try (Arena arena = Arena.ofShared()) {
      MemorySegment from = arena.allocate(bytes);
      Pattern.fill(from, 0);
      MemorySegment into = arena.allocate(bytes);
      try (Published published = server.publish(Source.of(from), LEASE);
          Received received = fetch(published, Landing.of(into))) {
        assertThat(received.length()).isEqualTo(bytes);
        assertThat(into.mismatch(from)).isEqualTo(-1);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 4097, 1_000_003, 1 << 25, (1 << 26) - 1})
  void goFromFileToFile(int bytes, @TempDir Path directory) throws Exception {
    Path from = directory.resolve("from");
    Pattern.write(from, bytes);
    Path into = directory.resolve("into");
    try (Published published = server.publish(Source.file(from), LEASE)) {
      fetch(published, Landing.file(into)).close();
    }
    assertThat(Files.mismatch(from, into)).isEqualTo(-1);
    try (var files = Files.list(directory)) {
      assertThat(files).containsExactlyInAnyOrder(from, into);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {0, (1L << 31) - 1_000_000, (1L << 32) - 1_000_000, (5L << 30) - 3_000_001})
  void canBeReadInPartsWhereverTheseAre(long from, @TempDir Path directory) throws Exception {
    long bytes = 5L << 30;
    int part = 3_000_001;
    Sparse expected = new Sparse(bytes, from);
    try (Published published = server.publish(Source.file(sparse(directory, bytes)), LEASE)) {
      Landing landing = Landing.chunks((chunk, at) -> expected.accept(chunk, from + at));
      session.objects().fetch(published.ref(), from, part, landing, CHECKED).get(LONGEST).close();
    }
    assertThat(expected.next).isEqualTo(from + part);
  }

  @EnabledIfSystemProperty(named = "verbena.full", matches = "true")
  @ParameterizedTest
  @ValueSource(longs = {(1L << 31) - 1, 1L << 31, 5L << 30})
  void mayHaveMoreBytesThanAnIntCounts(long bytes, @TempDir Path directory) throws Exception {
    Sparse expected = new Sparse(bytes, 0);
    try (Published published = server.publish(Source.file(sparse(directory, bytes)), LEASE)) {
      fetch(published, Landing.chunks(expected)).close();
    }
    assertThat(expected.next).isEqualTo(bytes);
  }

  @Test
  void areValuesOfACallThatAreLongerThanAnyMessage() {
    goesThroughACall(session, SessionLimits.DEFAULT.maxMessageBytes() + 3);
  }

  @EnabledIfSystemProperty(named = "verbena.full", matches = "true")
  @Test
  void areValuesOfACallThatAnIntDoesNotCount() {
    try (VerbenaServer large =
            VerbenaServer.builder()
                .listen("127.0.0.1:0")
                .bulkMemoryBytes(5L << 30)
                .serve(HouseRpc.bind(new PlainHouse()))
                .start();
        VerbenaClient caller = VerbenaClient.builder().bulkMemoryBytes(5L << 30).build()) {
      goesThroughACall(caller.connect(large.address().toString()), (1L << 31) + 5);
    }
  }

  private static void goesThroughACall(Session session, long bytes) {
    try (Arena arena = Arena.ofShared()) {
      MemorySegment value = arena.allocate(bytes);
      Pattern.fill(value, 0);
      assertThat(HouseRpc.client(session).same(value).mismatch(value)).isEqualTo(-1);
    }
  }

  @EnabledIfSystemProperty(named = "verbena.full", matches = "true")
  @Test
  void mayBeAHundredThousandSmallOnes() throws Exception {
    int bytes = 4096;
    int window = 256;
    try (Arena arena = Arena.ofShared()) {
      MemorySegment from = arena.allocate((long) window * bytes);
      Pattern.fill(from, 0);
      List<Published> published = new ArrayList<>();
      for (int i = 0; i < window; i++) {
        published.add(server.publish(Source.of(from.asSlice((long) i * bytes, bytes)), LEASE));
      }
      MemorySegment into = arena.allocate((long) window * bytes);
      for (int done = 0; done < 100_000; done += window) {
        into.fill((byte) 0);
        List<Transfer> transfers = new ArrayList<>();
        for (int i = 0; i < window; i++) {
          Landing landing = Landing.of(into.asSlice((long) i * bytes, bytes));
          transfers.add(session.objects().fetch(published.get(i).ref(), landing));
        }
        for (Transfer transfer : transfers) {
          transfer.get(LONGEST).close();
        }
        assertThat(into.mismatch(from)).isEqualTo(-1);
      }
      published.forEach(Published::close);
    }
  }

  /** A file that is a hole but for a mark every half gibibyte, and one at its end. */
  private static Path sparse(Path directory, long bytes) throws IOException {
    Path path = directory.resolve("sparse");
    try (FileChannel file =
        FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      for (long at = 0; at < bytes; at += 1L << 29) {
        mark(file, at);
      }
      mark(file, bytes - 1);
    }
    return path;
  }

  private static void mark(FileChannel file, long at) throws IOException {
    file.write(ByteBuffer.wrap(new byte[] {Sparse.at(at)}), at);
  }

  /** The required contents of such a file. */
  private static final class Sparse implements Landing.ChunkConsumer {
    private static final MemorySegment ZEROS = Arena.ofAuto().allocate(8 << 20);

    private final long bytes;
    private long next;

    Sparse(long bytes, long from) {
      this.bytes = bytes;
      this.next = from;
    }

    static byte at(long offset) {
      return (byte) (1 + (offset >>> 29) + (offset & 1));
    }

    @Override
    public void accept(MemorySegment chunk, long offset) {
      assertThat(offset).isEqualTo(next);
      next += chunk.byteSize();
      long from = 0;
      while (from < chunk.byteSize()) {
        long mark = Math.min(bytes - 1, ((offset + from + (1L << 29) - 1) >>> 29) << 29) - offset;
        long until = Math.min(mark, chunk.byteSize());
        MemorySegment hole = chunk.asSlice(from, until - from);
        assertThat(hole.mismatch(ZEROS.asSlice(0, until - from))).isEqualTo(-1);
        if (until < chunk.byteSize()) {
          assertThat(chunk.get(ValueLayout.JAVA_BYTE, until)).isEqualTo(at(offset + until));
        }
        from = until + 1;
      }
    }
  }

  @Test
  @Tag("long")
  void sixteenAtOnceShareABudgetFarSmallerThanThey() throws Exception {
    sixteen(48 << 20);
  }

  @EnabledIfSystemProperty(named = "verbena.full", matches = "true")
  @Test
  @Timeout(value = 15, unit = TimeUnit.MINUTES) // 64 GiB, where the machine has other work as well
  void sixteenOfAGibibyteFourTimesOver() throws Exception {
    long before = AnonymousMemory.bytes();
    for (int i = 0; i < 4; i++) {
      sixteen(1 << 30);
    }
    assertThat(mostAnonymous.get() - before)
        .as("bytes that this process came to hold in memory while 64 GiB moved")
        .isLessThan(MOST_GROWTH);
  }

  private void sixteen(long bytes) throws Exception {
    AtomicLong most = new AtomicLong();
    List<Transfer> transfers = new ArrayList<>();
    List<Pattern.Checker> checkers = new ArrayList<>();
    try (Published published = server.publish(Pattern.source(bytes), LEASE)) {
      for (int i = 0; i < 16; i++) {
        Pattern.Checker checker = new Pattern.Checker();
        checkers.add(checker);
        Landing.ChunkConsumer watched =
            (chunk, offset) -> {
              checker.accept(chunk, offset);
              long inUse = client.bulkStats().memoryInUse() + server.bulkStats().memoryInUse();
              most.accumulateAndGet(inUse, Math::max);
              if (offset % LOOK_EVERY < chunk.byteSize()) {
                mostAnonymous.accumulateAndGet(AnonymousMemory.bytes(), Math::max);
              }
            };
        transfers.add(session.objects().fetch(published.ref(), Landing.chunks(watched)));
      }
      for (Transfer transfer : transfers) {
        transfer.get(LONGEST).close();
      }
    }
    assertThat(checkers).allMatch(checker -> checker.checked() == bytes);
    assertThat(most.get()).isPositive().isLessThanOrEqualTo(2 * BUDGET);
  }
}
