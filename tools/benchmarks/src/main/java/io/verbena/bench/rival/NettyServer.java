package io.verbena.bench.rival;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.verbena.bench.load.Messages;
import java.net.InetSocketAddress;

/** A raw Netty server as users write it. It answers on the event loop and flushes once a read. */
final class NettyServer implements RivalServer {
  private final EventLoopGroup loop;
  private final Channel listening;

  private NettyServer(EventLoopGroup loop, Channel listening) {
    this.loop = loop;
    this.listening = listening;
  }

  static NettyServer start(String host) {
    NettyTransport transport = NettyTransport.best();
    EventLoopGroup loop = transport.oneLoop();
    Channel listening =
        new ServerBootstrap()
            .group(loop)
            .channel(transport.listening())
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childHandler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    channel.pipeline().addLast(new Head());
                  }
                })
            .bind(new InetSocketAddress(host, 0))
            .syncUninterruptibly()
            .channel();
    return new NettyServer(loop, listening);
  }

  @Override
  public int port() {
    return ((InetSocketAddress) listening.localAddress()).getPort();
  }

  @Override
  public void close() {
    loop.shutdownGracefully();
  }

  /** Reads the client's lengths, and replaces itself by the handler for them. */
  private static final class Head extends ChannelInboundHandlerAdapter {
    private final byte[] bytes = new byte[Exchange.BYTES];
    private int have;

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      ByteBuf in = (ByteBuf) message;
      int take = Math.min(in.readableBytes(), bytes.length - have);
      in.readBytes(bytes, have, take);
      have += take;
      if (have == bytes.length) {
        Exchange exchange = Exchange.read(java.nio.ByteBuffer.wrap(bytes));
        context
            .pipeline()
            .addLast(
                exchange.requestBytes() == exchange.replyBytes()
                    ? new Echo()
                    : new Answers(exchange));
        context.pipeline().remove(this);
      }
      if (have == bytes.length && in.isReadable()) {
        context.fireChannelRead(in);
      } else {
        in.release();
      }
    }
  }

  /** Writes all bytes back. */
  private static final class Echo extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      context.write(message, context.voidPromise());
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
      context.flush();
    }
  }

  /** Counts the bytes of requests, and answers each request when it is complete. */
  private static final class Answers extends ChannelInboundHandlerAdapter {
    private final int requestBytes;
    private final byte[] reply;
    private long number;
    private int have;

    Answers(Exchange exchange) {
      requestBytes = exchange.requestBytes();
      reply = Messages.of(exchange.replyBytes());
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      ByteBuf in = (ByteBuf) message;
      while (in.isReadable()) {
        take(in);
        if (have == requestBytes) {
          have = 0;
          ByteBuf out = context.alloc().directBuffer(reply.length);
          context.write(
              out.writeBytes(reply).setLong(out.readerIndex(), number), context.voidPromise());
        }
      }
      in.release();
    }

    private void take(ByteBuf in) {
      while (have < Long.BYTES && in.isReadable()) {
        number = number << Byte.SIZE | in.readUnsignedByte();
        have++;
      }
      int rest = Math.min(in.readableBytes(), requestBytes - have);
      in.skipBytes(rest);
      have += rest;
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
      context.flush();
    }
  }
}
