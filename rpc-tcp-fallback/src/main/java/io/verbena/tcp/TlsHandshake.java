package io.verbena.tcp;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import java.nio.channels.ClosedChannelException;
import java.util.function.BiConsumer;

/** Waits for the end of a TLS handshake, reports it once, and removes itself. */
final class TlsHandshake extends ChannelInboundHandlerAdapter {
  private final SslHandler tls;
  private final BiConsumer<SocketChannel, SslHandler> onDone;
  private final BiConsumer<SocketChannel, Throwable> onFailed;
  private boolean told;

  TlsHandshake(
      SslHandler tls,
      BiConsumer<SocketChannel, SslHandler> onDone,
      BiConsumer<SocketChannel, Throwable> onFailed) {
    this.tls = tls;
    this.onDone = onDone;
    this.onFailed = onFailed;
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext context, Object event) {
    if (event instanceof SslHandshakeCompletionEvent completion) {
      if (!completion.isSuccess()) {
        failed(context, completion.cause());
      } else if (!told) {
        context.pipeline().remove(this);
        done(context);
      }
    }
  }

  private void done(ChannelHandlerContext context) {
    try {
      onDone.accept((SocketChannel) context.channel(), tls);
      told = true;
    } catch (Throwable e) {
      exceptionCaught(context, e);
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    failed(context, new ClosedChannelException());
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    failed(context, cause);
    context.close();
  }

  private void failed(ChannelHandlerContext context, Throwable cause) {
    if (!told) {
      told = true;
      onFailed.accept((SocketChannel) context.channel(), cause);
    }
  }
}
