package io.verbena.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.verbena.api.Session;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.Published;
import io.verbena.api.bulk.Source;
import io.verbena.api.bulk.Transfer;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.spark.network.buffer.FileSegmentManagedBuffer;
import org.apache.spark.network.buffer.ManagedBuffer;
import org.apache.spark.network.buffer.NettyManagedBuffer;
import org.apache.spark.network.buffer.NioManagedBuffer;
import org.apache.spark.network.util.MapConfigProvider;
import org.apache.spark.network.util.TransportConf;
import org.apache.spark.unsafe.memory.MemoryBlock;
import org.apache.spark.unsafe.memory.UnsafeMemoryAllocator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Objects are sent from Spark's buffers, which are freed when their last use is over. */
class SparkBuffersTest {
  private static final int BYTES = 3_000_000;
  private static final Duration LONG = Duration.ofSeconds(40);
  private static final Duration LEASE = Duration.ofMinutes(1);

  private final byte[] content = new byte[BYTES];
  private final VerbenaServer server = VerbenaServer.builder().listen("127.0.0.1:0").start();
  private final VerbenaClient client = VerbenaClient.builder().build();
  private final Session session = client.connect(server.address().toString());

  SparkBuffersTest() {
    new Random(1).nextBytes(content);
  }

  @AfterEach
  void close() {
    session.close();
    client.close();
    server.close();
  }

  private byte[] fetched(Published published) throws Exception {
    ByteBuffer into = ByteBuffer.allocateDirect((int) published.ref().length());
    session.objects().fetch(published.ref(), Landing.of(into)).get();
    byte[] bytes = new byte[into.capacity()];
    into.get(0, bytes);
    return bytes;
  }

  private static void assertFreed(ByteBuf buffer) {
    await().atMost(LONG).untilAsserted(() -> assertThat(buffer.refCnt()).isZero());
  }

  @Test
  void aBufferOfNettysIsFreedBehindTheLastTransfer() throws Exception {
    ByteBuf from = ByteBufAllocator.DEFAULT.directBuffer(BYTES).writeBytes(content);
    ManagedBuffer managed = new NettyManagedBuffer(from);
    try (Published published = server.publish(SparkBuffers.source(managed), LEASE)) {
      managed.release();
      assertThat(fetched(published)).isEqualTo(content);
      assertThat(from.refCnt()).isPositive();
    }
    assertFreed(from);
  }

  @Test
  void aBufferIsFreedWhenItsPushHasFailed() throws Exception {
    ByteBuf from = ByteBufAllocator.DEFAULT.directBuffer(BYTES).writeBytes(content);
    ManagedBuffer managed = new NettyManagedBuffer(from);
    Transfer refused = session.objects().push("nobody takes it", SparkBuffers.source(managed));
    managed.release();
    assertThatThrownBy(refused::get).hasMessageContaining("no handler takes pushes");
    assertFreed(from);
  }

  @Test
  void whatLandedInABufferOfNettysIsSparks() throws Exception {
    ByteBuf into = ByteBufAllocator.DEFAULT.directBuffer(BYTES);
    try (Published published = server.publish(Source.of(content), LEASE)) {
      session.objects().fetch(published.ref(), NettyBuffers.landing(into)).get();
    }
    into.writerIndex(BYTES);
    ManagedBuffer managed = new NettyManagedBuffer(into);
    try (InputStream landed = managed.createInputStream()) {
      assertThat(landed).hasBinaryContent(content);
    }
    managed.release();
    assertFreed(into);
  }

  @Test
  void memoryOfItsOwnIsSentAsItIs() throws Exception {
    ManagedBuffer managed = new NioManagedBuffer(ByteBuffer.wrap(content));
    try (Published published = server.publish(SparkBuffers.source(managed), LEASE)) {
      assertThat(fetched(published)).isEqualTo(content);
    }
  }

  @Test
  void eachUseIsBegunAndEndedOnce() throws Exception {
    AtomicInteger begun = new AtomicInteger();
    AtomicInteger ended = new AtomicInteger();
    ManagedBuffer counting = new Counting(ByteBuffer.wrap(content), begun, ended);
    Published published = server.publish(SparkBuffers.source(counting), LEASE);
    assertThat(fetched(published)).isEqualTo(content);
    assertThat(fetched(published)).isEqualTo(content);
    assertThat(begun.get()).isPositive();
    assertThat(ended.get()).isLessThan(begun.get());
    published.close();
    await().atMost(LONG).untilAsserted(() -> assertThat(ended.get()).isEqualTo(begun.get()));
  }

  @Test
  void aSegmentOfAFileIsThatRange(@TempDir Path folder) throws Exception {
    Path file = Files.write(folder.resolve("shuffle.data"), content);
    TransportConf none = new TransportConf("shuffle", MapConfigProvider.EMPTY);
    var segment = new FileSegmentManagedBuffer(none, file.toFile(), 1_000, 2_000_000);
    try (Published published = server.publish(SparkBuffers.source(segment), LEASE)) {
      assertThat(fetched(published)).isEqualTo(Arrays.copyOfRange(content, 1_000, 2_001_000));
    }
  }

  @Test
  void aPageOutsideTheHeapIsSentFromAndReceivedInto() throws Exception {
    UnsafeMemoryAllocator allocator = new UnsafeMemoryAllocator();
    MemoryBlock from = allocator.allocate(BYTES);
    MemoryBlock into = allocator.allocate(BYTES);
    SparkBuffers.memory(from).copyFrom(MemorySegment.ofArray(content));
    AtomicInteger uses = new AtomicInteger();
    Source source =
        Source.of(SparkBuffers.memory(from)).counted(uses::incrementAndGet, uses::decrementAndGet);
    try (Published published = server.publish(source, LEASE)) {
      Landing landing = Landing.of(SparkBuffers.memory(into));
      session.objects().fetch(published.ref(), landing).result().toCompletableFuture().get();
    }
    await().atMost(LONG).untilAsserted(() -> assertThat(uses.get()).isZero());
    allocator.free(from);
    assertThat(SparkBuffers.memory(into).mismatch(MemorySegment.ofArray(content))).isNegative();
    allocator.free(into);
  }

  /** Memory of Spark's whose uses are counted here. */
  private static final class Counting extends ManagedBuffer {
    private final NioManagedBuffer memory;
    private final AtomicInteger begun;
    private final AtomicInteger ended;

    Counting(ByteBuffer memory, AtomicInteger begun, AtomicInteger ended) {
      this.memory = new NioManagedBuffer(memory);
      this.begun = begun;
      this.ended = ended;
    }

    @Override
    public long size() {
      return memory.size();
    }

    @Override
    public ByteBuffer nioByteBuffer() throws IOException {
      return memory.nioByteBuffer();
    }

    @Override
    public InputStream createInputStream() throws IOException {
      return memory.createInputStream();
    }

    @Override
    public ManagedBuffer retain() {
      begun.incrementAndGet();
      return this;
    }

    @Override
    public ManagedBuffer release() {
      ended.incrementAndGet();
      return this;
    }

    @Override
    public Object convertToNetty() throws IOException {
      return memory.convertToNetty();
    }

    @Override
    public Object convertToNettyForSsl() throws IOException {
      return memory.convertToNettyForSsl();
    }
  }
}
