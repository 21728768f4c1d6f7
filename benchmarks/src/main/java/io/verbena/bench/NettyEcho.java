package io.verbena.bench;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.CountDownLatch;
import org.HdrHistogram.Histogram;

/** Raw Netty, as its users write an echo: messages of one length, flushed once per read. */
final class NettyEcho implements Echo {
  private final boolean epoll;
  private final EventLoopGroup serverLoop;
  private final EventLoopGroup clientLoop;
  private final Caller caller = new Caller();
  private final Channel client;

  NettyEcho(boolean epoll) throws InterruptedException {
    this.epoll = epoll;
    this.serverLoop = loop();
    this.clientLoop = loop();
    Channel server =
        new ServerBootstrap()
            .group(serverLoop)
            .channel(epoll ? EpollServerSocketChannel.class : NioServerSocketChannel.class)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childHandler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    channel.pipeline().addLast(new Replier());
                  }
                })
            .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .sync()
            .channel();
    this.client =
        new Bootstrap()
            .group(clientLoop)
            .channel(epoll ? EpollSocketChannel.class : NioSocketChannel.class)
            .option(ChannelOption.TCP_NODELAY, true)
            .handler(caller)
            .connect(server.localAddress())
            .sync()
            .channel();
  }

  private EventLoopGroup loop() {
    return new MultiThreadIoEventLoopGroup(
        1, epoll ? EpollIoHandler.newFactory() : NioIoHandler.newFactory());
  }

  @Override
  public String name() {
    return "raw Netty on " + (epoll ? "epoll" : "nio");
  }

  @Override
  public void roundTrips(int count, int outstanding, Histogram nanos) throws InterruptedException {
    CountDownLatch done = new CountDownLatch(1);
    int first = Math.min(count, outstanding);
    client.eventLoop().execute(() -> caller.start(client, count, first, nanos, done));
    done.await();
  }

  @Override
  public void close() {
    clientLoop.shutdownGracefully();
    serverLoop.shutdownGracefully();
  }

  /** Writes back whatever it reads. */
  private static final class Replier extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      context.write(message, context.voidPromise());
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
      context.flush();
    }
  }

  private static final class Caller extends ChannelInboundHandlerAdapter {
    private Histogram nanos = new Histogram(1);
    private CountDownLatch done = new CountDownLatch(1);
    private ByteBuf partial = Unpooled.EMPTY_BUFFER;
    private int unsent;
    private int left;

    void start(Channel channel, int count, int outstanding, Histogram times, CountDownLatch latch) {
      nanos = times;
      done = latch;
      left = count;
      unsent = count;
      ByteBuf first = channel.alloc().directBuffer(outstanding * BYTES);
      for (int i = 0; i < outstanding; i++) {
        call(first);
      }
      channel.writeAndFlush(first, channel.voidPromise());
    }

    private void call(ByteBuf to) {
      unsent--;
      to.writeLong(System.nanoTime()).writeZero(BYTES - Long.BYTES);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      ByteBuf in = (ByteBuf) message;
      if (partial.isReadable()) {
        in = Unpooled.wrappedBuffer(partial, in);
        partial = Unpooled.EMPTY_BUFFER;
      }
      ByteBuf out = context.alloc().directBuffer(Math.max(BYTES, in.readableBytes()));
      while (in.readableBytes() >= BYTES) {
        nanos.recordValue(System.nanoTime() - in.readLong());
        in.skipBytes(BYTES - Long.BYTES);
        left--;
        if (unsent > 0) {
          call(out);
        }
      }
      if (in.isReadable()) {
        partial = in;
      } else {
        in.release();
      }
      context.write(out, context.voidPromise());
      if (left == 0) {
        done.countDown();
      }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
      context.flush();
    }
  }
}
