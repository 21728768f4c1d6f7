package io.verbena.tcp;

import io.netty.channel.ChannelException;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeTimeoutException;
import io.verbena.link.LinkDriver.ConnectHandler;
import io.verbena.link.LinkException;
import io.verbena.link.LinkOptions;
import io.verbena.link.runtime.OwnThreads;
import io.verbena.link.runtime.Thrown;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * One attempt to open a link. It looks the name up, connects to the addresses one after another
 * until one answers, and shakes hands if TLS is required. One time limit bounds all of it.
 */
final class TcpAttempt {
  private static final String REFUSED =
      "refused the connection: nothing listens on that port; start the server, or correct the port";

  /** No system reports a time-out earlier: each sends its first packet again after a second. */
  private static final long LEAST_TO_TIME_OUT_NANOS = 3_000_000_000L;

  private final TcpDriver driver;
  private final URI uri;
  private final LinkOptions options;
  private final ConnectHandler handler;
  private final Queue<InetAddress> addresses = new ArrayDeque<>();
  private final long deadlineNanos;
  private @Nullable SocketChannel channel;
  private @Nullable String lastFailure;
  private @Nullable Throwable lastCause;

  /** Whether every tried address has refused the connection. */
  private boolean allRefused = true;

  private boolean over;

  TcpAttempt(TcpDriver driver, URI uri, LinkOptions options, ConnectHandler handler) {
    this.driver = driver;
    this.uri = uri;
    this.options = options;
    this.handler = handler;
    this.deadlineNanos = driver.loop().ticker().nanoTime() + options.connectTimeout().toNanos();
  }

  void start() {
    step(this::begin);
  }

  /**
   * Runs a step, and fails the attempt if it throws. Netty would only log the exception, and the
   * attempt would end by its time limit.
   */
  private void step(Runnable step) {
    try {
      step.run();
    } catch (Throwable e) { // the TLS context is users' code, too
      fail(new LinkException(uri + ": the connection could not be set up: " + Thrown.words(e), e));
    }
  }

  private void begin() {
    if (over) {
      return;
    }
    TcpAddress address;
    try {
      address = TcpAddress.of(uri);
    } catch (LinkException e) {
      fail(e);
      return;
    }
    driver.schedule(this::timeOut, options.connectTimeout().toMillis());
    InetAddress literal = address.literal();
    if (literal != null) {
      addresses.add(literal);
      connectNext(address);
    } else {
      lookUp(address);
    }
  }

  /**
   * Looks the name up. The JDK's resolver blocks, for seconds if DNS does, so this does not run on
   * the loop.
   */
  private void lookUp(TcpAddress address) {
    OwnThreads.hand(
        OwnThreads.LOOKUPS,
        () -> {
          List<InetAddress> found;
          try {
            found = List.of(InetAddress.getAllByName(address.host()));
          } catch (UnknownHostException e) {
            driver.executeFromElsewhere(() -> fail(unknown(address, e)));
            return;
          }
          driver.executeFromElsewhere(() -> step(() -> connectTo(found, address)));
        },
        failure -> driver.executeFromElsewhere(() -> fail(notLookedUp(address, failure))));
  }

  private void connectTo(List<InetAddress> found, TcpAddress address) {
    addresses.addAll(found);
    connectNext(address);
  }

  private static LinkException notLookedUp(TcpAddress address, Throwable why) {
    return new LinkException(
        address + ": the host '" + address.host() + "' could not be looked up: " + why, why);
  }

  private static LinkException unknown(TcpAddress address, UnknownHostException e) {
    String unknown =
        "the host '" + address.host() + "' is unknown; check its spelling, /etc/hosts and DNS";
    return new LinkException(address + ": " + OpenFiles.why(1, unknown), e);
  }

  private void connectNext(TcpAddress address) {
    if (over) {
      return;
    }
    InetAddress ip = addresses.poll();
    if (ip == null) {
      String failure = uri + " " + lastFailure;
      fail(
          allRefused
              ? LinkException.nobodyListens(failure, lastCause)
              : new LinkException(failure, lastCause));
      return;
    }
    SocketChannel socket;
    try {
      socket = driver.transport().sockets().get();
    } catch (ChannelException e) {
      String why = OpenFiles.why(1, e);
      fail(new LinkException(uri + " got no socket: " + why, e));
      return;
    }
    channel = socket;
    driver.configure(socket, options);
    socket.pipeline().addLast(new LingeringClose());
    driver.register(socket);
    if (!addresses.isEmpty()) {
      // Leaves a share of the time to the other addresses.
      driver.schedule(() -> giveUp(socket), millisLeft() / (addresses.size() + 1));
    }
    long begun = driver.loop().ticker().nanoTime();
    ChannelFuture connecting = socket.connect(new InetSocketAddress(ip, address.port()));
    boolean answered = !connecting.isDone() || !driver.transport().isEpoll();
    connecting.addListener(
        (ChannelFuture future) -> {
          long nanos = driver.loop().ticker().nanoTime() - begun;
          boolean refused = answered && isRefusal(future.cause(), nanos);
          step(() -> connected(address, ip, socket, future, refused));
        });
  }

  private void giveUp(SocketChannel socket) {
    if (!over && channel == socket && !socket.isActive()) {
      socket.unsafe().close(socket.newPromise());
    }
  }

  private void connected(
      TcpAddress address,
      InetAddress ip,
      SocketChannel socket,
      ChannelFuture future,
      boolean refused) {
    if (over) {
      socket.unsafe().close(socket.newPromise());
    } else if (!future.isSuccess() || meetsItself(socket)) {
      lastCause = future.cause();
      boolean nobody = refused || future.isSuccess();
      lastFailure = nobody ? REFUSED : explain(ip, future.cause());
      allRefused &= nobody;
      socket.unsafe().close(socket.newPromise());
      connectNext(address);
    } else if (options.tls() == null) {
      open(socket, null);
    } else {
      String name = options.authority().isEmpty() ? address.host() : options.authority();
      SslHandler tls = Tls.client(options.tls(), name, address.port(), millisLeft());
      socket
          .pipeline()
          .addLast(
              tls, new TlsHandshake(tls, this::open, (from, why) -> handshakeFailed(name, why)));
    }
  }

  private void open(SocketChannel socket, @Nullable SslHandler tls) {
    if (over) {
      socket.unsafe().close(socket.newPromise());
      return;
    }
    String peer = TcpAddress.SCHEME + "://" + uri.getRawAuthority();
    TcpLink link = new TcpLink(driver, socket, peer, options.maxFrameBytes(), tls);
    socket.pipeline().addLast(link);
    end();
    link.open(handler::onConnected);
  }

  private void handshakeFailed(String server, Throwable cause) {
    if (cause instanceof SslHandshakeTimeoutException) {
      timeOut(); // the time limit was the rest of the attempt's time; report the whole
      return;
    }
    String failure = uri + ": " + Tls.explain(cause, server);
    fail(
        Tls.isUntrusted(cause)
            ? LinkException.untrusted(failure, cause)
            : new LinkException(failure, cause));
  }

  /**
   * Returns whether both ends are one socket. If nothing listens at a port of this machine that is
   * in the range of clients' ports, the kernel may give that port to the connecting socket itself.
   */
  private static boolean meetsItself(SocketChannel socket) {
    return socket.localAddress() != null && socket.localAddress().equals(socket.remoteAddress());
  }

  private static String explain(InetAddress ip, Throwable cause) {
    String noIpv6 = TcpAddress.lacksIpv6(ip);
    if (noIpv6 != null) {
      return "cannot be reached: " + noIpv6;
    }
    // Netty's exception adds the address.
    Throwable first = cause.getCause() == null ? cause : cause.getCause();
    return "cannot be reached ("
        + Thrown.reason(first.getMessage() == null ? first : cause)
        + "): check the address, the network and firewalls between, and that this machine has"
        + " free ports";
  }

  /**
   * Returns whether the other machine has refused the connection. The message is in the machine's
   * language, so it does not help. The type means ECONNREFUSED or ETIMEDOUT, or, with epoll, any
   * failure that connect returns at once without an answer.
   */
  private static boolean isRefusal(@Nullable Throwable cause, long nanos) {
    return cause instanceof ConnectException
        && !(cause instanceof ConnectTimeoutException)
        && nanos < LEAST_TO_TIME_OUT_NANOS;
  }

  private void timeOut() {
    boolean answered = channel != null && channel.isActive();
    fail(
        new LinkException(
            uri
                + (answered
                    ? " did not finish the TLS handshake within "
                    : " did not answer within ")
                + options.connectTimeout().toMillis()
                + (answered
                    ? " ms: it may not speak TLS, or is held up"
                    : " ms: the host is down, or a firewall drops its packets; check both, or allow"
                        + " more time"),
            null));
  }

  /** Fails the attempt because its loop ends. */
  void abandon() {
    fail(new LinkException(uri + ": the event loop was closed while connecting", null));
  }

  private void fail(LinkException failure) {
    if (over) {
      return;
    }
    end();
    SocketChannel socket = channel;
    if (socket != null && !socket.isActive()) {
      socket.unsafe().close(socket.newPromise());
    } else if (socket != null) {
      socket.close();
    }
    handler.onFailed(failure);
  }

  private void end() {
    over = true;
    driver.ended(this);
  }

  private long millisLeft() {
    return Math.max(1, (deadlineNanos - driver.loop().ticker().nanoTime()) / 1_000_000);
  }
}
