package io.verbena.tcp;

import io.netty.channel.ChannelException;
import io.netty.channel.IoEvent;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.channel.unix.FileDescriptor;
import io.netty.channel.unix.Socket;
import io.verbena.link.LocalSockets;
import io.verbena.link.runtime.ChannelSockets;
import io.verbena.link.runtime.Thrown;
import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Local sockets that the native epoll of a driver watches. */
final class EpollLocalSockets implements LocalSockets {
  private static final EpollIoOps READABLE = EpollIoOps.EPOLLIN.with(EpollIoOps.EPOLLRDHUP);

  /** The bytes of a path with its end, in Linux ({@code unix(7)}). */
  private static final int PATH_BYTES = 108;

  private final TcpLoop loop;

  /** Receives the addresses of peers, with their lengths. Peers have none. */
  private final byte[] peerAddress = new byte[PATH_BYTES + 4];

  EpollLocalSockets(TcpLoop loop) {
    this.loop = loop;
  }

  @Override
  public Connected connect(Path path) throws IOException {
    DomainSocketAddress address = address(path);
    Socket socket = open();
    boolean connected = false;
    try {
      connected = socket.connect(address);
      if (!connected) {
        throw new IOException(ChannelSockets.TOO_MANY);
      }
      return new Peer(socket);
    } catch (ConnectException e) {
      throw reason(path, e);
    } finally {
      if (!connected) {
        socket.close();
      }
    }
  }

  /** Netty reports a full backlog as it reports a socket without a listener; the JDK does not. */
  private static IOException reason(Path path, ConnectException failure) {
    try (SocketChannel _ = ChannelSockets.connected(path)) {
      return new IOException(ChannelSockets.TOO_MANY); // there is room again
    } catch (ConnectException e) {
      return failure;
    } catch (IOException e) {
      return e;
    }
  }

  @Override
  public Listening listen(Path path, int backlog) throws IOException {
    DomainSocketAddress address = address(path);
    if (Files.exists(path, LinkOption.NOFOLLOW_LINKS)) { // Netty removes what is there
      throw new BindException(path + " exists already");
    }
    Socket socket = open();
    boolean bound = false;
    try {
      socket.bind(address);
      socket.listen(backlog);
      bound = true;
      return new Server(socket);
    } finally {
      if (!bound) {
        socket.close();
      }
    }
  }

  private static Socket open() throws IOException {
    try {
      return Socket.newSocketDomain();
    } catch (ChannelException e) {
      throw new IOException("no local socket: " + Thrown.fullWords(e), e);
    }
  }

  /** A longer path would be cut off. */
  private static DomainSocketAddress address(Path path) throws IOException {
    String name = path.toString();
    if (name.getBytes(StandardCharsets.UTF_8).length >= PATH_BYTES) {
      throw new IOException(
          "%s is too long for a socket, whose path has at most %d bytes"
              .formatted(name, PATH_BYTES - 1));
    }
    return new DomainSocketAddress(name);
  }

  @Override
  public boolean arm(long nanos) {
    loop.waitAtMost(nanos);
    return true;
  }

  private abstract class OfEpoll implements Watched, EpollIoHandle {
    final Socket socket;
    private @Nullable IoRegistration registration;
    private @Nullable Runnable ready;

    OfEpoll(Socket socket) {
      this.socket = socket;
    }

    @Override
    public void watch(Runnable ready) throws IOException {
      this.ready = ready;
      IoRegistration mine = loop.registered(this);
      registration = mine;
      long _ = mine.submit(READABLE);
    }

    /** Without a registration, because the end of a peer is told to any. */
    @Override
    public void unwatch() {
      IoRegistration mine = registration;
      registration = null;
      if (mine != null) {
        boolean _ = mine.cancel();
      }
    }

    @Override
    public FileDescriptor fd() {
      return socket;
    }

    @Override
    public void handle(IoRegistration mine, IoEvent event) {
      Runnable told = ready;
      if (told != null && mine.isValid()) {
        told.run();
      }
    }

    @Override
    public void close() throws IOException {
      unwatch();
      socket.close();
    }
  }

  private final class Peer extends OfEpoll implements Connected {
    Peer(Socket socket) {
      super(socket);
    }

    @Override
    public int read(ByteBuffer into) throws IOException {
      int read = socket.read(into, into.position(), into.limit());
      into.position(into.position() + Math.max(read, 0));
      return read;
    }

    @Override
    public int write(ByteBuffer from) throws IOException {
      int written = socket.write(from, from.position(), from.limit());
      from.position(from.position() + written);
      return written;
    }
  }

  private final class Server extends OfEpoll implements Listening {
    Server(Socket socket) {
      super(socket);
    }

    @Override
    public @Nullable Connected accept() throws IOException {
      int peer = socket.accept(peerAddress);
      return peer < 0 ? null : new Peer(new Socket(peer));
    }
  }
}
