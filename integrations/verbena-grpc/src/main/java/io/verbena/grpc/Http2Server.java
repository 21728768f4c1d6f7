package io.verbena.grpc;

import com.google.common.util.concurrent.Futures;
import com.google.common.util.concurrent.ListenableFuture;
import io.grpc.Attributes;
import io.grpc.Grpc;
import io.grpc.InsecureServerCredentials;
import io.grpc.InternalChannelz.SocketStats;
import io.grpc.InternalLogId;
import io.grpc.Server;
import io.grpc.ServerBuilder;
import io.grpc.ServerTransportFilter;
import io.grpc.Status;
import io.grpc.internal.ServerTransport;
import io.grpc.internal.ServerTransportListener;
import io.grpc.internal.TransportTracer;
import io.grpc.netty.NettyServerBuilder;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.DefaultEventLoopGroup;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.local.LocalAddress;
import io.netty.channel.local.LocalChannel;
import io.netty.channel.local.LocalServerChannel;
import io.netty.channel.socket.SocketChannel;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A server of grpc-netty in this process, with the services of another. Each connection of HTTP/2
 * has a second one within the process, and bytes are passed between the two.
 *
 * <pre>
 *   client ──TCP──→ Outer, on a loop of Verbena ←──→ Inner ──local──→ grpc-netty
 * </pre>
 */
final class Http2Server implements ServerTransport {
  private static final AtomicLong ADDRESSES = new AtomicLong();

  private final InternalServerImpl owner;
  private final InternalLogId logId = InternalLogId.allocate(Http2Server.class, "HTTP/2");
  private final LocalAddress address = newAddress();

  @SuppressWarnings("deprecation") // Netty 4.1, which gRPC 1.79 brings, has no other
  private final EventLoopGroup group = new DefaultEventLoopGroup(1);

  private final Server server;
  private final Map<SocketAddress, TransportFacts> clients = new ConcurrentHashMap<>();

  Http2Server(InternalServerImpl owner, List<Consumer<ServerBuilder<?>>> settings) {
    this.owner = owner;
    NettyServerBuilder builder =
        NettyServerBuilder.forAddress(address, InsecureServerCredentials.create())
            .channelFactory(Acceptor::new)
            .bossEventLoopGroup(group)
            .workerEventLoopGroup(group)
            .maxInboundMessageSize(owner.settings.mostMessage())
            .maxInboundMetadataSize(owner.settings.mostMetadata())
            .addTransportFilter(new Clients());
    settings.forEach(one -> one.accept(builder));
    this.server = builder.build();
  }

  /**
   * Checks that grpc-netty is there.
   *
   * @throws LinkageError if it is not
   */
  static void requireLibrary() {
    Object _ = NettyServerBuilder.class.getName();
  }

  private static LocalAddress newAddress() {
    return new LocalAddress("verbena-grpc-" + ADDRESSES.incrementAndGet());
  }

  /**
   * Serves until the last connection has ended, as one transport of the owner.
   *
   * @param begun receives this server when it listens
   */
  void run(CompletableFuture<Http2Server> begun) {
    try {
      ServerTransportListener told = owner.begun(this);
      if (told == null) {
        throw new IllegalStateException("the server is shutting down");
      }
      try {
        Attributes _ = told.transportReady(Attributes.EMPTY);
        Server _ = server.start();
        begun.complete(this);
        server.awaitTermination();
      } finally {
        owner.ended(told);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      Object _ = group.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }
  }

  /** Connects a client. On its loop. */
  void connect(Outer outer, TransportFacts client) {
    LocalAddress own = newAddress();
    clients.put(own, client);
    outer.channel.closeFuture().addListener(closed -> clients.remove(own));
    new Bootstrap()
        .group(group)
        .channel(LocalChannel.class)
        .option(ChannelOption.AUTO_READ, false)
        .handler(new Inner(outer))
        .connect(address, own)
        .addListener(
            (ChannelFutureListener)
                connected ->
                    outer.loop.execute(
                        () -> {
                          if (connected.isSuccess()) {
                            outer.connected(connected.channel());
                          } else {
                            outer.channel.close();
                          }
                        }));
  }

  /** Accepts connections within the process. */
  private static final class Acceptor extends LocalServerChannel {
    @Override
    protected LocalChannel newLocalChannel(LocalChannel peer) {
      return new Accepted(this, peer);
    }
  }

  /** gRPC sets an option of sockets. It has no meaning here, and Netty would warn of it. */
  private static final class Accepted extends LocalChannel {
    private final ChannelConfig options =
        new DefaultChannelConfig(this) {
          @Override
          public <T> boolean setOption(ChannelOption<T> option, T value) {
            if (option.equals(ChannelOption.ALLOCATOR)) {
              setAllocator(new ClosingAllocator(Accepted.this, (ByteBufAllocator) value));
              return true;
            }
            return option.equals(ChannelOption.SO_KEEPALIVE) || super.setOption(option, value);
          }
        };

    Accepted(LocalServerChannel parent, LocalChannel peer) {
      super(parent, peer);
    }

    @Override
    @SuppressWarnings("RedundantNullCheck") // the constructor of Netty's class calls it
    public ChannelConfig config() {
      return options == null ? super.config() : options;
    }
  }

  /**
   * Closes a connection that has no memory for what it reads, as Netty does with sockets. Otherwise
   * the connection would keep its memory, and could not even say that it fails.
   */
  private static final class ClosingAllocator extends AbstractByteBufAllocator {
    private final Channel channel;
    private final ByteBufAllocator from;
    private boolean closing;

    ClosingAllocator(Channel channel, ByteBufAllocator from) {
      super(true);
      this.channel = channel;
      this.from = from;
    }

    @Override
    protected ByteBuf newHeapBuffer(int bytes, int most) {
      return orClose(() -> from.heapBuffer(bytes, most));
    }

    @Override
    protected ByteBuf newDirectBuffer(int bytes, int most) {
      return orClose(() -> from.directBuffer(bytes, most));
    }

    private ByteBuf orClose(Supplier<ByteBuf> memory) {
      ByteBuf taken = null;
      try {
        taken = memory.get();
        return taken;
      } finally {
        EventLoop loop = channel.eventLoop();
        if (taken == null && loop.inEventLoop() && !closing) {
          closing = true;
          // Not by the handlers of HTTP/2, which need memory for a farewell.
          loop.execute(() -> channel.unsafe().close(channel.newPromise()));
        }
      }
    }

    @Override
    public boolean isDirectBufferPooled() {
      return from.isDirectBufferPooled();
    }
  }

  /** Shows handlers the client's own address and TLS. */
  private final class Clients extends ServerTransportFilter {
    @Override
    public Attributes transportReady(Attributes attributes) {
      TransportFacts client = clients.get(attributes.get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR));
      return client == null
          ? attributes
          : attributes.toBuilder().setAll(client.attributes(false)).build();
    }
  }

  /** The connection of the client. On a loop of Verbena. */
  static final class Outer extends ChannelInboundHandlerAdapter {
    private final SocketChannel channel;
    private final Executor loop;
    private final List<ByteBuf> early = new ArrayList<>(1);
    private @Nullable Channel inner;
    private boolean over;

    Outer(SocketChannel channel, Executor loop) {
      this.channel = channel;
      this.loop = loop;
    }

    private void connected(Channel to) {
      if (over) {
        to.close();
        return;
      }
      inner = to;
      early.forEach(bytes -> pass(to, bytes));
      early.clear();
      to.read();
      channel.read();
    }

    private void pass(Channel to, ByteBuf bytes) {
      to.writeAndFlush(bytes)
          .addListener(
              (ChannelFutureListener)
                  done -> loop.execute(done.isSuccess() ? channel::read : channel::close));
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      ByteBuf bytes = (ByteBuf) message;
      ByteBuf copy = Unpooled.copiedBuffer(bytes); // the loop's buffer is read into again
      bytes.release();
      Channel to = inner;
      if (to == null) {
        early.add(copy);
      } else {
        pass(to, copy);
      }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
      over = true;
      Channel to = inner;
      if (to != null) {
        to.close();
      }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      context.close(); // the client has reset the connection
    }
  }

  /** The connection to grpc-netty. On its own loop. */
  private static final class Inner extends ChannelInboundHandlerAdapter {
    private final Outer outer;

    Inner(Outer outer) {
      this.outer = outer;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      Channel from = context.channel();
      outer.loop.execute(
          () ->
              outer
                  .channel
                  .writeAndFlush(message)
                  .addListener(
                      (ChannelFutureListener)
                          done -> {
                            if (done.isSuccess()) {
                              from.read();
                            } else {
                              from.close(); // what is left out cannot be made up for
                            }
                          }));
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
      outer.loop.execute(outer.channel::close);
    }
  }

  // ---- as one transport ----

  @Override
  public void shutdown() {
    Server _ = server.shutdown();
  }

  void shutdownNow() {
    Server _ = server.shutdownNow();
  }

  @Override
  public void shutdownNow(Status reason) {
    shutdownNow();
  }

  @Override
  public ScheduledExecutorService getScheduledExecutorService() {
    return owner.timer();
  }

  /** Those of its connections are in the statistics of the server of grpc-netty. */
  @Override
  public ListenableFuture<SocketStats> getStats() {
    SocketAddress own = owner.address();
    return Futures.immediateFuture(
        new TransportFacts(own, own, null)
            .stats(TransportTracer.getDefaultFactory().create().getStats(), Map.of()));
  }

  @Override
  public InternalLogId getLogId() {
    return logId;
  }

  @Override
  public String toString() {
    return logId.toString();
  }
}
