package io.verbena.http;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.codec.ProtocolDetectionState;
import io.netty.handler.codec.haproxy.HAProxyMessage;
import io.netty.handler.codec.haproxy.HAProxyMessageDecoder;
import io.verbena.link.runtime.ThrottledLog;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Looks at a connection's first bytes, and then leaves its pipeline. A proxy of TCP may say there
 * for whom it connects, by the PROXY protocol. On the loop.
 */
final class ProxyHeader extends ByteToMessageDecoder {
  private static final ThrottledLog NOT_ALLOWED =
      ThrottledLog.of(ProxyHeader.class, "HTTP connections with a PROXY header");

  private static final List<String> VERSIONS = List.of("PROXY ", "\r\n\r\n\0\r\nQUIT\n");

  private final HttpConnection connection;

  ProxyHeader(HttpConnection connection) {
    this.connection = connection;
  }

  @Override
  protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
    ProtocolDetectionState state = HAProxyMessageDecoder.detectProtocol(in).state();
    if (state == ProtocolDetectionState.NEEDS_MORE_DATA && mayBegin(in)) {
      return;
    }
    if (state == ProtocolDetectionState.DETECTED) {
      if (connection.gateway().settings().proxyProtocol()) {
        HAProxyMessageDecoder decoder = new HAProxyMessageDecoder();
        context.pipeline().addAfter(context.name(), null, new Told());
        context.pipeline().addAfter(context.name(), null, decoder);
      } else {
        NOT_ALLOWED.warn(
            "The HTTP connection from {} begins with a header of the PROXY protocol: set"
                + " HttpSettings.withProxyProtocol() if it comes from a load balancer, or switch the"
                + " header off there",
            connection.peer());
        connection.refuseConnection(
            Problem.wrong(
                "the connection begins with a header of the PROXY protocol, which this server does not"
                    + " expect; see HttpSettings.withProxyProtocol"));
        in.skipBytes(in.readableBytes());
      }
    }
    context.pipeline().remove(this); // passes the bytes on
  }

  /** Returns whether the bytes so far may become a header: most requests differ early. */
  private static boolean mayBegin(ByteBuf in) {
    return VERSIONS.stream().anyMatch(version -> isBeginningOf(version, in));
  }

  private static boolean isBeginningOf(String version, ByteBuf in) {
    int length = Math.min(version.length(), in.readableBytes());
    String begun = in.toString(in.readerIndex(), length, StandardCharsets.ISO_8859_1);
    return version.startsWith(begun);
  }

  /** Takes what the header says. The decoder itself ends connections whose header is malformed. */
  private final class Told extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      if (message instanceof HAProxyMessage told) {
        // A proxy's own checks are LOCAL, or of an unknown family.
        if (told.sourceAddress() != null) {
          String host = told.sourceAddress();
          connection.cameFor(
              "tcp://%s:%d"
                  .formatted(host.contains(":") ? "[" + host + "]" : host, told.sourcePort()));
        }
        told.release();
        context.pipeline().remove(this);
      } else {
        context.fireChannelRead(message);
      }
    }
  }
}
