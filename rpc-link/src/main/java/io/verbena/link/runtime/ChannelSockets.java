package io.verbena.link.runtime;

import io.verbena.link.LocalSockets;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Local sockets that are channels of the JDK. A subclass watches them by its selector. */
public abstract class ChannelSockets implements LocalSockets {
  /** The reason why a listening socket takes no peer now. */
  public static final String TOO_MANY = "too many peers connect there at once; try again later";

  /**
   * Registers a channel, without interest in it.
   *
   * @param operation the one to watch for, as in {@link SelectionKey#interestOps()}
   */
  protected abstract Watch register(SelectableChannel channel, int operation) throws IOException;

  /** A registered channel. */
  protected interface Watch {
    /** Runs an action while the channel is ready. */
    void begin(Runnable ready);

    /** Stops that. The action itself may call it. */
    void end();

    /** The channel was closed. */
    void release();
  }

  @Override
  public final Connected connect(Path path) throws IOException {
    return new Socket(connected(path));
  }

  /**
   * Connects a channel that does not block.
   *
   * @throws java.net.ConnectException if nothing listens there
   * @throws IOException if it is refused for another reason
   */
  public static SocketChannel connected(Path path) throws IOException {
    SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
    boolean connected = false;
    try {
      channel.configureBlocking(false);
      connected = channel.connect(UnixDomainSocketAddress.of(path));
      if (!connected) {
        throw new IOException(TOO_MANY);
      }
      return channel;
    } finally {
      if (!connected) {
        channel.close();
      }
    }
  }

  @Override
  public final Listening listen(Path path, int backlog) throws IOException {
    ServerSocketChannel channel = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    boolean bound = false;
    try {
      channel.configureBlocking(false);
      channel.bind(UnixDomainSocketAddress.of(path), backlog);
      bound = true;
      return new Server(channel);
    } finally {
      if (!bound) {
        channel.close();
      }
    }
  }

  private abstract class OfChannel<C extends SelectableChannel> implements Watched {
    final C channel;
    private final int operation;
    private volatile @Nullable Watch watch;

    OfChannel(C channel, int operation) {
      this.channel = channel;
      this.operation = operation;
    }

    @Override
    public void watch(Runnable ready) throws IOException {
      Watch mine = watch;
      if (mine == null) {
        mine = register(channel, operation);
        watch = mine;
      }
      mine.begin(ready);
    }

    @Override
    public void unwatch() {
      Watch mine = watch;
      if (mine != null) {
        mine.end();
      }
    }

    @Override
    public void close() throws IOException {
      try {
        channel.close();
      } finally {
        Watch mine = watch;
        if (mine != null) {
          mine.release();
        }
      }
    }
  }

  private final class Socket extends OfChannel<SocketChannel> implements Connected {
    Socket(SocketChannel channel) {
      super(channel, SelectionKey.OP_READ);
    }

    @Override
    public int read(ByteBuffer into) throws IOException {
      return channel.read(into);
    }

    @Override
    public int write(ByteBuffer from) throws IOException {
      return channel.write(from);
    }
  }

  private final class Server extends OfChannel<ServerSocketChannel> implements Listening {
    Server(ServerSocketChannel channel) {
      super(channel, SelectionKey.OP_ACCEPT);
    }

    @Override
    public @Nullable Connected accept() throws IOException {
      SocketChannel peer = channel.accept();
      if (peer == null) {
        return null;
      }
      try {
        peer.configureBlocking(false);
        return new Socket(peer);
      } catch (IOException e) {
        peer.close();
        throw e;
      }
    }
  }
}
