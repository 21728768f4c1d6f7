package io.verbena.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.verbena.link.BulkPort;
import io.verbena.link.BulkRegion;
import io.verbena.link.BulkTarget;
import io.verbena.link.LinkException;
import io.verbena.link.LinkOptions;
import io.verbena.link.MemoryLife;
import io.verbena.link.RemoteTarget;
import io.verbena.link.SendResult;
import io.verbena.testkit.LinkEnd;
import io.verbena.testkit.SteppedLinks;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What the kernel is asked for, and in which order, as bulk bytes go over a TCP connection. */
final class SystemCallsTest {
  private static final int CHUNK = Pace.LEAST_CHUNK;

  private final List<String> ofClient = new ArrayList<>();
  private final List<String> ofServer = new ArrayList<>();
  private final Arena arena = Arena.ofShared();
  private SteppedLinks links;
  private LinkEnd client;
  private LinkEnd server;
  private BulkPort from;
  private BulkPort to;

  @SuppressWarnings("NullAway.Init") // by open
  SystemCallsTest() {}

  /** Tells of each system call, and of what is left to Netty. */
  private static final class Told extends NioSockets.Socket {
    private final List<String> calls;

    Told(List<String> calls) {
      this.calls = calls;
    }

    Told(Channel parent, SocketChannel accepted, List<String> calls) {
      super(parent, accepted);
      this.calls = calls;
    }

    @Override
    public int write(ByteBuffer buffer, int from, int to) throws IOException {
      return told("write", super.write(buffer, from, to));
    }

    @Override
    public int write(ByteBuffer first, ByteBuffer second) throws IOException {
      return told("write", super.write(first, second));
    }

    @Override
    protected void doWrite(ChannelOutboundBuffer waiting) throws Exception {
      if (waiting.current() instanceof ByteBuf next && next.isReadable()) {
        calls.add("write by Netty");
      }
      super.doWrite(waiting);
    }

    @Override
    protected int doReadBytes(ByteBuf into) throws Exception {
      return told("read", super.doReadBytes(into));
    }

    private int told(String call, int bytes) {
      calls.add(call + " " + bytes);
      return bytes;
    }
  }

  private static final class ToldServer extends NioServerSocketChannel {
    private final List<String> calls;

    ToldServer(List<String> calls) {
      this.calls = calls;
    }

    @Override
    protected int doReadMessages(List<Object> sockets) throws IOException {
      SocketChannel accepted = javaChannel().accept();
      return accepted != null && sockets.add(new Told(this, accepted, calls)) ? 1 : 0;
    }
  }

  private void openTold() throws LinkException {
    open(
        new Transport(
            "nio",
            "for the test",
            NioIoHandler::newFactory,
            () -> new Told(ofClient),
            () -> new ToldServer(ofServer)));
  }

  private void open(Transport transport) throws LinkException {
    LinkOptions options = LinkOptions.of(64 << 10, Duration.ofSeconds(10), null);
    links = new SteppedLinks(new TcpHarness(transport, null, null, 0), options, options);
    SteppedLinks.Pair pair = links.open();
    links.settle();
    client = pair.client();
    server = pair.server();
    from = Objects.requireNonNull(client.link().bulk());
    to = Objects.requireNonNull(server.link().bulk());
    ofClient.clear();
    ofServer.clear();
  }

  @AfterEach
  void close() {
    links.close();
    arena.close();
  }

  private RemoteTarget target(MemorySegment memory, BulkTarget.Listener listener)
      throws LinkException {
    BulkRegion region = to.attach(memory, MemoryLife.ONCE);
    BulkTarget target = to.open(region, 0, memory.byteSize(), listener);
    return from.remote(ByteBuffer.wrap(target.advertisement()));
  }

  private BulkRegion source(long bytes) throws LinkException {
    return from.attach(arena.allocate(bytes), MemoryLife.ONCE);
  }

  private static SendResult write(
      BulkPort port, RemoteTarget target, long at, BulkRegion source, int length) {
    return port.write(target, at, source, 0, length, true, () -> {});
  }

  @Test
  void aChunkLeavesAtOnceWithItsHeaderAndTheFramesBeforeIt() throws LinkException {
    openTold();
    RemoteTarget target = target(arena.allocate(CHUNK), at -> {});
    BulkRegion source = source(CHUNK);
    assertThat(client.send(new byte[10])).isEqualTo(SendResult.SENT);
    assertThat(write(from, target, 0, source, CHUNK)).isEqualTo(SendResult.SENT);
    int frame = Chunk.PREFIX + 10;
    assertThat(ofClient).containsExactly("write " + (frame + Chunk.HEADER + CHUNK));
  }

  /** And before the socket is read once more, which would be in vain. */
  @Test
  void theReceiptLeavesWithWhatIsSaidOfAFullTarget() throws LinkException {
    openTold();
    RemoteTarget target = target(arena.allocate(CHUNK), at -> server.send(new byte[5]));
    assertThat(write(from, target, 0, source(CHUNK), CHUNK)).isEqualTo(SendResult.SENT);
    links.stepUntil("the end", () -> !client.heard().frames().isEmpty());
    int shortRead = 512; // little of the chunk, so that little is copied
    int rest = Chunk.HEADER + CHUNK - shortRead;
    int done = Chunk.PREFIX + 5;
    assertThat(ofServer)
        .containsExactly("read " + shortRead, "read " + rest, "write " + (done + Receipt.BYTES));
  }

  @Test
  void asMuchMayWaitInTheKernelAsAChunkHas() throws LinkException, IOException {
    List<EpollSocketChannel> sockets = new ArrayList<>();
    Transport epoll = Transport.epoll();
    open(
        new Transport(
            epoll.name(),
            epoll.why(),
            epoll.handlers(),
            () -> {
              sockets.add(new EpollSocketChannel());
              return sockets.getLast();
            },
            epoll.serverSockets()));
    EpollSocketChannel socket = sockets.getFirst();
    int least = UnsentInKernel.LEAST;
    assertThat(socket.config().getTcpNotSentLowAt()).isEqualTo(least);
    MemorySegment landing = arena.allocate(4 * Pace.MOST_CHUNK);
    BulkRegion source = source(Pace.MOST_CHUNK);
    RemoteTarget target = target(landing, arrived -> {});
    long at = 0;
    for (int chunk = 0; chunk <= least; at += chunk) {
      if (landing.byteSize() - at < Pace.MOST_CHUNK) {
        target = target(landing, arrived -> {});
        at = 0;
      }
      chunk = writeOne(target, at, source);
      assertThat(socket.config().getTcpNotSentLowAt()).isEqualTo(Math.max(least, chunk));
    }
  }

  /** Writes a chunk as soon as there is room; returns how long it is. */
  private int writeOne(RemoteTarget target, long at, BulkRegion source) {
    int[] chunk = new int[1];
    links.stepUntil(
        "room for a chunk",
        () -> {
          chunk[0] = from.chunkBytes();
          return write(from, target, at, source, chunk[0]) == SendResult.SENT;
        });
    return chunk[0];
  }
}
