/** The TCP link. */
module io.verbena.tcp {
  requires io.netty.buffer;
  requires io.netty.codec;
  requires io.netty.common;
  requires io.netty.handler;
  requires transitive io.netty.transport;
  requires io.netty.transport.classes.epoll;
  requires io.netty.transport.unix.common;
  requires transitive io.verbena.link;
  requires static transitive org.jspecify;

  exports io.verbena.tcp;

  provides io.verbena.link.LinkProvider with
      io.verbena.tcp.TcpLinkProvider;
}
