package io.verbena.bench.rival;

import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;

/** The transport of raw Netty, which is the same as that of Verbena's TCP link on this host. */
enum NettyTransport {
  EPOLL(EpollServerSocketChannel.class, EpollSocketChannel.class),
  NIO(NioServerSocketChannel.class, NioSocketChannel.class);

  private final Class<? extends ServerChannel> listening;
  private final Class<? extends Channel> connected;

  NettyTransport(Class<? extends ServerChannel> listening, Class<? extends Channel> connected) {
    this.listening = listening;
    this.connected = connected;
  }

  static NettyTransport best() {
    return Epoll.isAvailable() ? EPOLL : NIO;
  }

  EventLoopGroup oneLoop() {
    return new MultiThreadIoEventLoopGroup(
        1, this == EPOLL ? EpollIoHandler.newFactory() : NioIoHandler.newFactory());
  }

  Class<? extends ServerChannel> listening() {
    return listening;
  }

  Class<? extends Channel> connected() {
    return connected;
  }
}
