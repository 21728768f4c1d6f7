package io.verbena.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.util.IllegalReferenceCountException;
import io.verbena.api.Session;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.Published;
import io.verbena.api.bulk.Source;
import io.verbena.api.bulk.Transfer;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Objects go between buffers of Netty's, which are freed when their last use is over. */
class NettyBuffersTest {
  private static final int BYTES = 3_000_000;
  private static final Duration LONG = Duration.ofSeconds(40);
  private static final Duration LEASE = Duration.ofMinutes(1);

  private final VerbenaServer server = VerbenaServer.builder().listen("127.0.0.1:0").start();
  private final VerbenaClient client = VerbenaClient.builder().build();
  private final Session session = client.connect(server.address().toString());

  @AfterEach
  void close() {
    session.close();
    client.close();
    server.close();
  }

  private static ByteBufAllocator allocator(boolean pooled) {
    return pooled ? ByteBufAllocator.DEFAULT : UnpooledByteBufAllocator.DEFAULT;
  }

  private static ByteBuf filled(ByteBuf buffer) {
    byte[] bytes = new byte[buffer.writableBytes()];
    new Random(1).nextBytes(bytes);
    return buffer.writeBytes(bytes);
  }

  private static void assertFreed(ByteBuf buffer) {
    await().atMost(LONG).untilAsserted(() -> assertThat(buffer.refCnt()).isZero());
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void anObjectGoesFromBufferToBuffer(boolean pooled) throws Exception {
    ByteBuf from =
        Unpooled.wrappedBuffer(
            filled(allocator(pooled).directBuffer(BYTES, BYTES)),
            filled(Unpooled.buffer(1000, 1000)));
    ByteBuf into = allocator(pooled).directBuffer(10 + from.readableBytes()).writeZero(10);
    ByteBuf expected = from.copy();
    try (Published published = server.publish(NettyBuffers.source(from), LEASE)) {
      from.release();
      session.objects().fetch(published.ref(), NettyBuffers.landing(into)).get();
      into.writerIndex(into.writerIndex() + (int) published.ref().length());
      assertThat(into.skipBytes(10)).isEqualTo(expected);
      assertThat(from.refCnt()).isPositive();
    }
    into.release();
    expected.release();
    assertFreed(from);
    assertFreed(into);
  }

  @Test
  void aBufferIsFreedWhenItsPushHasFailed() {
    ByteBuf from = filled(allocator(true).directBuffer(BYTES));
    Source source = NettyBuffers.source(from);
    Transfer refused = session.objects().push("nobody takes it", source);
    from.release();
    assertThatThrownBy(refused::get).hasMessageContaining("no handler takes pushes");
    assertFreed(from);
    assertThatThrownBy(() -> session.objects().push("late", source))
        .isInstanceOf(IllegalReferenceCountException.class);
  }

  @Test
  void aBufferThatIsGivenUpWhileAnObjectLandsThereIsFreedAfterwards() throws Exception {
    ByteBuf into = allocator(true).directBuffer(BYTES);
    try (Published published = server.publish(Source.of(new byte[BYTES]), LEASE)) {
      Landing landing = NettyBuffers.landing(into);
      Transfer fetch = session.objects().fetch(published.ref(), landing);
      into.release();
      fetch.get();
      assertFreed(into);
    }
  }
}
