package io.verbena.core.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.Session;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.ObjectRef;
import io.verbena.api.bulk.Received;
import io.verbena.api.bulk.Source;
import io.verbena.api.bulk.Transfer;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.link.runtime.ThrottledLog;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A disk that does not answer holds up its own files alone. */
class HungDiskTest {
  private static final Duration LEASE = Duration.ofMinutes(5);
  private static final int HUNG = 40;

  @TempDir
  @SuppressWarnings("NullAway.Init") // by JUnit
  Path directory;

  /** A file whose reads do not return until the test says so. */
  private static final class HungFile extends FileChannel {
    private final CountDownLatch answers;
    private volatile boolean hangs;

    HungFile(CountDownLatch answers) {
      this.answers = answers;
    }

    @Override
    public int read(ByteBuffer into, long position) throws IOException {
      if (hangs && into.remaining() > 1) {
        try {
          answers.await();
        } catch (InterruptedException e) {
          throw new IOException(e);
        }
      }
      int length = into.remaining();
      into.position(into.limit());
      return length;
    }

    @Override
    public long size() {
      return 1 << 20;
    }

    @Override
    protected void implCloseChannel() {}

    @Override
    public int read(ByteBuffer into) {
      throw new UnsupportedOperationException();
    }

    @Override
    public long read(ByteBuffer[] into, int offset, int length) {
      throw new UnsupportedOperationException();
    }

    @Override
    public int write(ByteBuffer from) {
      throw new UnsupportedOperationException();
    }

    @Override
    public long write(ByteBuffer[] from, int offset, int length) {
      throw new UnsupportedOperationException();
    }

    @Override
    public long position() {
      return 0;
    }

    @Override
    public FileChannel position(long to) {
      return this;
    }

    @Override
    public FileChannel truncate(long to) {
      return this;
    }

    @Override
    public void force(boolean metadata) {}

    @Override
    public long transferTo(long position, long count, WritableByteChannel target) {
      throw new UnsupportedOperationException();
    }

    @Override
    public long transferFrom(ReadableByteChannel source, long position, long count) {
      throw new UnsupportedOperationException();
    }

    @Override
    public int write(ByteBuffer from, long position) {
      throw new UnsupportedOperationException();
    }

    @Override
    public MappedByteBuffer map(MapMode mode, long position, long size) {
      throw new UnsupportedOperationException();
    }

    @Override
    public FileLock lock(long position, long size, boolean shared) {
      throw new UnsupportedOperationException();
    }

    @Override
    public FileLock tryLock(long position, long size, boolean shared) {
      throw new UnsupportedOperationException();
    }
  }

  @Test
  @Timeout(60)
  void otherFilesAndMemoryAreTransferredMeanwhile() throws Exception {
    CountDownLatch answers = new CountDownLatch(1);
    Path file = Files.write(directory.resolve("source"), new byte[3 << 20]);
    try (VerbenaServer server = VerbenaServer.builder().listen("mem://hung").start();
        VerbenaClient client = VerbenaClient.builder().build()) {
      Session session = client.connect("mem://hung");
      HungFile hung = new HungFile(answers);
      ObjectRef stuck = server.publish(Source.file(hung, 0, 1 << 20), LEASE).ref();
      hung.hangs = true;
      List<Transfer> waiting = new ArrayList<>();
      for (int i = 0; i < HUNG; i++) {
        waiting.add(session.objects().fetch(stuck, Landing.pooled(1 << 20)));
      }
      ObjectRef healthy = server.publish(Source.file(file), LEASE).ref();
      ObjectRef memory = server.publish(Source.of(new byte[3 << 20]), LEASE).ref();
      Path landing = directory.resolve("landing");
      try (Received small = session.objects().fetch(memory, Landing.pooled(3 << 20)).get()) {
        assertThat(small.length()).isEqualTo(3 << 20);
      }
      session.objects().fetch(healthy, Landing.file(landing)).get().close();
      assertThat(landing).hasSize(3 << 20);
      assertThat(waiting).noneMatch(BulkWorld::isOver);
      answers.countDown();
      for (Transfer one : waiting) {
        one.get().close();
      }
    } finally {
      answers.countDown();
    }
  }

  @Test
  void theLogNamesAFileThatHasNotAnsweredForTenSeconds() {
    String what = "files that did not answer for 10 s";
    BulkWorld bulk = new BulkWorld();
    Path landing = directory.resolve("landing");
    bulk.open();
    ObjectRef ref = bulk.publish(Source.of(bulk.bytes(100_000, 1)));
    long before = ThrottledLog.counts().getOrDefault(what, 0L);
    Transfer transfer = bulk.fetch(ref, Landing.file(landing));
    for (int i = 0; i < 12_000; i++) { // its tasks are not run
      bulk.world.step();
      bulk.world.clock().advance(Duration.ofMillis(1));
    }
    assertThat(ThrottledLog.counts().get(what)).isGreaterThan(before);
    bulk.await(transfer).close();
    bulk.assertNothingLeft();
    bulk.close();
  }
}
