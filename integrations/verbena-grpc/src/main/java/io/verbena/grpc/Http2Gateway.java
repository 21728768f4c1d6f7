package io.verbena.grpc;

import io.grpc.ServerBuilder;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.ssl.SslHandler;
import io.verbena.core.Gateway;
import io.verbena.core.LocalSessions;
import io.verbena.link.PortProtocol;
import io.verbena.link.runtime.OwnThreads;
import io.verbena.link.runtime.ThrottledLog;
import io.verbena.tcp.TcpProtocol;
import java.nio.charset.StandardCharsets;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * HTTP/2 at the port of a server. Connections are handed to {@link Http2Server}, which begins with
 * the first of them, or their clients are told in words why they are not served.
 */
final class Http2Gateway implements Gateway {
  private static final ThrottledLog REFUSED =
      ThrottledLog.of(Http2Gateway.class, "clients of HTTP/2 that were refused");

  /** The first byte of HTTP/2's preface, "PRI * HTTP/2.0". */
  private static final byte PREFACE = 'P';

  private static final String LIBRARY =
      "HTTP/2 is served by grpc-netty, which is not on the class path of this server: add io.grpc:grpc-netty in the version of grpc-core";
  private static final String AUTHENTICATOR =
      "this server authenticates sessions, which HTTP/2 has not: authenticate by an interceptor of gRPC instead, or build the server with http2(false)";
  private static final String SESSIONS_ONLY =
      "this server was built with http2(false): clients use a target that begins with verbena:";

  // Of frames of HTTP/2 (RFC 9113, sections 4.1, 6.5 and 6.8).
  private static final int SETTINGS = 4;
  private static final int GOAWAY = 7;
  private static final int HTTP_1_1_REQUIRED = 13;

  /** The time in which a client that is refused makes its first calls. */
  private static final long TO_CALL_MILLIS = 500;

  private final List<Consumer<ServerBuilder<?>>> settings;
  private boolean required;
  private boolean refused;

  private @Nullable InternalServerImpl owner;
  private volatile @Nullable String refusal;

  /** The server within the process; null before its first client. Guarded by this object. */
  private @Nullable CompletableFuture<Http2Server> server;

  /**
   * Makes a gateway.
   *
   * @param settings of the server: services, interceptors and executors. They are read when it
   *     begins
   */
  Http2Gateway(List<Consumer<ServerBuilder<?>>> settings) {
    this.settings = settings;
  }

  void require() {
    if (!isLibraryThere()) {
      throw new IllegalStateException(LIBRARY);
    }
    required = true;
    refused = false;
  }

  void refuse() {
    required = false;
    refused = true;
  }

  private static boolean isLibraryThere() {
    try {
      Http2Server.requireLibrary();
      return true;
    } catch (LinkageError e) {
      return false;
    }
  }

  /** Sets the server whose port this is. */
  void serves(InternalServerImpl of) {
    owner = of;
  }

  @Override
  public synchronized PortProtocol start(LocalSessions sessions) {
    refusal = null;
    server = null;
    if (refused) {
      refusal = SESSIONS_ONLY;
    } else if (sessions.authenticates()) {
      refusal = AUTHENTICATOR;
    } else if (!isLibraryThere()) {
      refusal = LIBRARY;
    }
    String why = refusal;
    if (required && why != null) {
      throw new IllegalStateException(why);
    }
    return new TcpProtocol() {
      @Override
      public boolean beginsWith(byte first) {
        return first == PREFACE;
      }

      @Override
      public List<String> applicationProtocols() {
        return List.of("h2");
      }

      @Override
      public void accept(
          SocketChannel channel, String peer, List<X509Certificate> certificates, Executor loop) {
        String now = refusal;
        if (now == null) {
          connect(channel, peer, loop);
        } else {
          refuse(channel, peer, now);
        }
      }
    };
  }

  private void connect(SocketChannel channel, String peer, Executor loop) {
    SslHandler tls = channel.pipeline().get(SslHandler.class);
    TransportFacts client =
        new TransportFacts(
            channel.localAddress(),
            channel.remoteAddress(),
            tls == null ? null : tls.engine().getSession());
    Http2Server.Outer outer = new Http2Server.Outer(channel, loop);
    channel.config().setAutoRead(false);
    channel.pipeline().addLast(outer);
    server()
        .whenComplete(
            (begun, failure) ->
                loop.execute(
                    () -> {
                      if (begun == null) {
                        refuse(channel, peer, String.valueOf(failure.getMessage()));
                      } else {
                        begun.connect(outer, client);
                      }
                    }));
  }

  /** Returns the server within the process, which it starts on another thread. */
  private synchronized CompletableFuture<Http2Server> server() {
    CompletableFuture<Http2Server> known = server;
    if (known != null) {
      return known;
    }
    CompletableFuture<Http2Server> begun = new CompletableFuture<>();
    server = begun;
    InternalServerImpl of = Objects.requireNonNull(owner);
    OwnThreads.background(
        "verbena-grpc-http2",
        () -> new Http2Server(of, List.copyOf(settings)).run(begun),
        begun::completeExceptionally);
    return begun;
  }

  /**
   * Answers with settings, and later with a GOAWAY whose text is the reason. It says that the calls
   * made meanwhile were taken: clients of gRPC make others again, and at once.
   */
  private static void refuse(SocketChannel channel, String peer, String why) {
    REFUSED.warn("The client at {} speaks HTTP/2: {}", peer, why);
    channel.writeAndFlush(frame(0, SETTINGS));
    byte[] words = why.getBytes(StandardCharsets.UTF_8);
    ByteBuf last =
        frame(2 * Integer.BYTES + words.length, GOAWAY)
            .writeInt(Integer.MAX_VALUE)
            .writeInt(HTTP_1_1_REQUIRED)
            .writeBytes(words);
    Object _ =
        channel
            .eventLoop()
            .schedule(
                () -> channel.writeAndFlush(last).addListener(ChannelFutureListener.CLOSE),
                TO_CALL_MILLIS,
                TimeUnit.MILLISECONDS);
  }

  private static ByteBuf frame(int length, int type) {
    return Unpooled.buffer().writeMedium(length).writeByte(type).writeByte(0).writeInt(0);
  }

  private synchronized @Nullable CompletableFuture<Http2Server> begun() {
    return server;
  }

  @Override
  public void drain() {
    CompletableFuture<Http2Server> known = begun();
    refusal = "the server is shutting down";
    if (known != null) {
      known.thenAccept(Http2Server::shutdown);
    }
  }

  @Override
  public void close() {
    CompletableFuture<Http2Server> known = begun();
    if (known != null) {
      known.thenAccept(Http2Server::shutdownNow);
    }
  }
}
