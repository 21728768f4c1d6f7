package io.verbena.bench.rival;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.verbena.bench.load.Call;
import io.verbena.bench.load.Caller;
import java.io.EOFException;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/** A raw Netty connection. Calls that answers start are flushed together after the read. */
final class NettyCaller extends ChannelInboundHandlerAdapter implements Caller {
  private final NettyTransport transport = NettyTransport.best();
  private final EventLoopGroup loop = transport.oneLoop();
  private final Exchange exchange;
  private final Channel channel;
  private final ArrayDeque<Call> underWay = new ArrayDeque<>();
  private boolean reading;
  private long number;
  private int have;

  /** The buffer for an answer that is checked; null if answers are not checked. */
  private final byte @Nullable [] answer;

  NettyCaller(String host, int port, Exchange exchange, boolean validate)
      throws InterruptedException {
    this.exchange = exchange;
    this.answer = validate ? new byte[exchange.replyBytes()] : null;
    this.channel =
        new Bootstrap()
            .group(loop)
            .channel(transport.connected())
            .option(ChannelOption.TCP_NODELAY, true)
            .handler(this)
            .connect(host, port)
            .sync()
            .channel();
    ByteBuf head = Unpooled.buffer(Exchange.BYTES);
    channel.writeAndFlush(
        head.writeInt(exchange.requestBytes()).writeInt(exchange.replyBytes()),
        channel.voidPromise());
  }

  @Override
  public void start(Call call) {
    if (channel.eventLoop().inEventLoop()) {
      send(call);
    } else {
      channel.eventLoop().execute(() -> send(call));
    }
  }

  private void send(Call call) {
    if (!channel.isActive()) {
      call.failed(new ClosedChannelException());
      return;
    }
    underWay.add(call);
    byte[] message = call.message();
    ByteBuf out = channel.alloc().directBuffer(message.length);
    channel.write(out.writeBytes(message), channel.voidPromise());
    if (!reading) {
      channel.flush();
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    ByteBuf in = (ByteBuf) message;
    reading = true;
    while (in.isReadable()) {
      take(in);
      if (have == exchange.replyBytes()) {
        have = 0;
        end(underWay.remove());
      }
    }
    in.release();
  }

  private void end(Call call) {
    if (answer == null) {
      call.answered(number);
    } else {
      call.answered(answer);
    }
  }

  private void take(ByteBuf in) {
    if (answer != null) {
      int part = Math.min(in.readableBytes(), answer.length - have);
      in.readBytes(answer, have, part);
      have += part;
      return;
    }
    if (have == 0 && in.readableBytes() >= Long.BYTES) {
      number = in.readLong();
      have = Long.BYTES;
    }
    while (have < Long.BYTES && in.isReadable()) {
      number = number << Byte.SIZE | in.readUnsignedByte();
      have++;
    }
    int rest = Math.min(in.readableBytes(), exchange.replyBytes() - have);
    in.skipBytes(rest);
    have += rest;
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    reading = false;
    context.flush();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    while (!underWay.isEmpty()) {
      underWay.remove().failed(cause);
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    exceptionCaught(context, new EOFException("the server has closed the connection"));
  }

  @Override
  public String path() {
    return "tcp (Netty on " + (transport == NettyTransport.EPOLL ? "epoll)" : "java.nio)");
  }

  @Override
  public void close() {
    channel.close();
    loop.shutdownGracefully();
  }
}
