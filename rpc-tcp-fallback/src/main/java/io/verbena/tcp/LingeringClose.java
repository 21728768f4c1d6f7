package io.verbena.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.SocketChannel;
import io.netty.util.ReferenceCountUtil;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * Makes a close lose nothing. It sends the queued bytes and then FIN. It reads and drops further
 * bytes until the peer has closed too. If a socket is closed with unread data, the system resets
 * the connection. The reset would overtake the last frames, or the TLS alert that tells the peer
 * the reason. The handler stands next to the socket, below TLS.
 */
final class LingeringClose extends ChannelOutboundHandlerAdapter {
  /** The time that the peer has to close its side. */
  private static final long PATIENCE_SECONDS = 5;

  private ByteBuf lastWords = Unpooled.EMPTY_BUFFER;
  private boolean closing;

  /** Sends bytes below TLS before the connection is closed. */
  void lastWords(ByteBuf bytes) {
    lastWords = bytes;
  }

  @Override
  public void close(ChannelHandlerContext context, ChannelPromise promise) {
    SocketChannel channel = (SocketChannel) context.channel();
    if (closing || !channel.isActive()) {
      context.close(promise);
      return;
    }
    closing = true;
    Future<?> patience =
        channel
            .eventLoop()
            .schedule(
                () -> context.close(context.newPromise()), PATIENCE_SECONDS, TimeUnit.SECONDS);
    channel
        .closeFuture()
        .addListener(
            _ -> {
              patience.cancel(false);
              promise.trySuccess();
            });
    context.pipeline().addAfter(context.name(), null, new Drop());
    channel.config().setAutoRead(true);
    context.writeAndFlush(lastWords).addListener(_ -> channel.shutdownOutput());
  }

  /** Drops all bytes. */
  private static final class Drop extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      ReferenceCountUtil.release(message);
    }
  }
}
