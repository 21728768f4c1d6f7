package io.verbena.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.ssl.SslHandler;
import io.verbena.link.LinkDriver.AcceptHandler;
import io.verbena.link.LinkDriver.Listening;
import io.verbena.link.LinkException;
import io.verbena.link.LinkOptions;
import io.verbena.link.runtime.ThrottledLog;
import io.verbena.link.runtime.Thrown;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A listening socket. */
final class TcpListening implements Listening {
  private static final ThrottledLog PAUSED =
      ThrottledLog.of(TcpListening.class, "pauses in accepting TCP connections");
  private static final ThrottledLog NOT_SET_UP =
      ThrottledLog.of(TcpListening.class, "TCP connections that could not be set up");
  private static final ThrottledLog NO_HANDSHAKE =
      ThrottledLog.of(TcpListening.class, "TLS handshakes that failed");
  private static final ThrottledLog TLS_HERE =
      ThrottledLog.of(TcpListening.class, "clients with TLS at a server without");

  /** The pause after a failed accept, whose usual cause is a lack of files. */
  private static final long PAUSE_MILLIS = 1000;

  private static final int FIRST_UNPRIVILEGED = 1024;

  private final TcpDriver driver;
  private final LinkOptions options;
  private final AcceptHandler handler;
  private final ServerSocketChannel channel;
  private final URI address;

  TcpListening(TcpDriver driver, TcpAddress at, LinkOptions options, AcceptHandler handler)
      throws LinkException {
    this.driver = driver;
    this.options = options;
    this.handler = handler;
    this.channel = driver.transport().serverSockets().get();
    channel.pipeline().addLast(new Acceptor());
    driver.register(channel);
    InetAddress ip = resolve(at);
    ChannelFuture bound = channel.bind(new InetSocketAddress(ip, at.port()));
    if (!bound.isSuccess()) {
      close();
      throw new LinkException(explain(at, ip, bound.cause()), bound.cause());
    }
    address = address(at.host(), channel.localAddress());
  }

  /**
   * Returns the address with the real port. It has the host as written, unless a URI has no room
   * for such a name: then readers of its host and port would find neither.
   */
  private static URI address(String host, InetSocketAddress bound) {
    URI named = URI.create(new TcpAddress(host, bound.getPort()).toString());
    return named.getHost() == null ? URI.create(TcpAddress.text(bound)) : named;
  }

  private static InetAddress resolve(TcpAddress at) throws LinkException {
    try {
      return InetAddress.getByName(at.host());
    } catch (UnknownHostException e) {
      throw new LinkException(
          "cannot listen on "
              + at
              + ": the host '"
              + at.host()
              + "' is unknown; use 0.0.0.0 for"
              + " every address of this machine",
          e);
    }
  }

  /**
   * Finds the reason and its cure by looking, because the system's message is in the machine's
   * language.
   */
  private static String explain(TcpAddress at, InetAddress ip, @Nullable Throwable cause) {
    String noIpv6 = TcpAddress.lacksIpv6(ip);
    if (noIpv6 != null) {
      return "cannot listen on "
          + at
          + ": "
          + noIpv6
          + "; 0.0.0.0 is every address of this machine";
    }
    String message = cause == null ? "closed meanwhile" : Thrown.reason(cause);
    String cure;
    if (!isHere(ip)) {
      cure = "no interface of this machine has that address; 'ip address' lists them";
    } else {
      cure =
          "stop the program that has port %s ('ss -ltnp sport = :%s' names it), or choose another"
                  .formatted(at.port(), at.port())
              + " port; 0 takes any free one";
      if (at.port() > 0 && at.port() < FIRST_UNPRIVILEGED) {
        cure += ". Ports below 1024 need a privilege (CAP_NET_BIND_SERVICE)";
      }
    }
    return "cannot listen on " + at + " (" + message + "): " + cure;
  }

  private static boolean isHere(InetAddress ip) {
    try {
      return ip.isAnyLocalAddress() || NetworkInterface.getByInetAddress(ip) != null;
    } catch (SocketException e) {
      return true; // unknown
    }
  }

  @Override
  public URI address() {
    return address;
  }

  @Override
  public void close() {
    channel.close();
    driver.ended(this);
  }

  private void accept(SocketChannel socket) {
    driver.configure(socket, options);
    socket.pipeline().addLast(new LingeringClose(), new Silence());
    if (options.tls() == null) {
      driver.register(socket);
      open(socket, null);
      return;
    }
    List<String> names =
        options.protocol() instanceof TcpProtocol protocol
            ? protocol.applicationProtocols()
            : List.of();
    SslHandler tls = Tls.server(options.tls(), names, options.connectTimeout().toMillis());
    socket.pipeline().addLast(tls, new TlsHandshake(tls, this::open, this::handshakeFailed));
    driver.register(socket);
  }

  private void open(SocketChannel socket, @Nullable SslHandler tls) {
    if (options.protocol() instanceof TcpProtocol protocol) {
      socket.pipeline().addLast(new FirstByte(protocol, tls));
    } else {
      openLink(socket, tls);
    }
  }

  private void openLink(SocketChannel socket, @Nullable SslHandler tls) {
    String peer = TcpAddress.text(socket.remoteAddress());
    TcpLink link = new TcpLink(driver, socket, peer, options.maxFrameBytes(), tls);
    socket.pipeline().addLast(link);
    link.open(handler::onAccepted);
  }

  private void handshakeFailed(SocketChannel socket, Throwable cause) {
    if (socket.pipeline().get(Silence.class) != null) {
      return; // it only checked whether somebody listens
    }
    if (Tls.isPlaintext(cause)) {
      socket.pipeline().get(LingeringClose.class).lastWords(Tls.expectedTls());
    }
    NO_HANDSHAKE.warn(
        "The TLS handshake with {} at {} failed: {}",
        TcpAddress.text(socket.remoteAddress()),
        address,
        Tls.explain(cause));
  }

  /**
   * Stands in the pipeline until a connection's first bytes arrive. They show whether the client
   * has TLS, and the server does not.
   */
  private final class Silence extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      if (options.tls() == null && Tls.begins((ByteBuf) message)) {
        TLS_HERE.warn(
            "The client at {} speaks TLS, and this server at {} does not: give both ends TLS"
                + " options, or neither",
            TcpAddress.text(((SocketChannel) context.channel()).remoteAddress()),
            address);
      }
      context.pipeline().remove(this);
      context.fireChannelRead(message);
    }
  }

  /**
   * Waits for the first byte of a connection, which shows whether it is a link, and removes itself.
   */
  private final class FirstByte extends ChannelInboundHandlerAdapter {
    private final TcpProtocol protocol;
    private final @Nullable SslHandler tls;
    private @Nullable Future<?> patience;

    FirstByte(TcpProtocol protocol, @Nullable SslHandler tls) {
      this.protocol = protocol;
      this.tls = tls;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
      long limit = Math.max(1, options.connectTimeout().toMillis());
      patience = driver.loop().schedule(() -> context.close(), limit, TimeUnit.MILLISECONDS);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      ByteBuf bytes = (ByteBuf) message;
      if (!bytes.isReadable()) {
        bytes.release();
        return;
      }
      SocketChannel socket = (SocketChannel) context.channel();
      boolean isOther = protocol.beginsWith(bytes.getByte(bytes.readerIndex()));
      if (isOther) {
        ReceiveBuffer.leave(socket);
        String peer = TcpAddress.text(socket.remoteAddress());
        protocol.accept(socket, peer, Tls.peerCertificates(tls), driver::executeFromElsewhere);
      } else {
        openLink(socket, tls);
      }
      context.pipeline().remove(this);
      context.fireChannelRead(isOther ? copied(bytes) : bytes);
    }

    /** Returns a copy: the loop's buffer is read into again, and these bytes may be kept. */
    private static ByteBuf copied(ByteBuf bytes) {
      try {
        return bytes.copy();
      } finally {
        bytes.release();
      }
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext context) {
      if (patience != null) {
        patience.cancel(false);
      }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      context.close();
    }
  }

  private final class Acceptor extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      SocketChannel socket = (SocketChannel) message;
      try {
        accept(socket);
      } catch (Throwable e) { // the TLS context is users' code
        NOT_SET_UP.error("A connection from {} could not be set up", socket.remoteAddress(), e);
        socket.unsafe().closeForcibly();
      }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      PAUSED.warn("Accepting on {} pauses for a second: {}", address, OpenFiles.why(1, cause));
      channel.config().setAutoRead(false);
      driver.schedule(() -> channel.config().setAutoRead(true), PAUSE_MILLIS);
    }
  }
}
