package io.verbena.bench.rival;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/** Blocking sockets of java.nio, a platform thread for each connection. */
final class BlockingServer implements RivalServer {
  private final ServerSocketChannel listening;
  private final String name;
  private final Conversation conversation;

  /** The protocol of a connection. */
  @FunctionalInterface
  interface Conversation {
    /** Answers requests until the client disconnects. */
    void hold(SocketChannel socket, Exchange exchange) throws IOException;
  }

  private BlockingServer(ServerSocketChannel listening, String name, Conversation conversation) {
    this.listening = listening;
    this.name = name;
    this.conversation = conversation;
  }

  /** Starts a server on a free port. */
  static BlockingServer start(String host, String name, Conversation conversation) {
    try {
      ServerSocketChannel listening = ServerSocketChannel.open();
      listening.bind(new InetSocketAddress(host, 0));
      BlockingServer server = new BlockingServer(listening, name, conversation);
      Thread.ofPlatform().daemon().name(name + "-accept").start(server::accept);
      return server;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void accept() {
    try {
      while (true) {
        SocketChannel socket = listening.accept();
        Thread.ofPlatform().daemon().name(name + "-serve").start(() -> serve(socket));
      }
    } catch (IOException e) {
      // closed
    }
  }

  private void serve(SocketChannel accepted) {
    try (SocketChannel socket = accepted) {
      socket.setOption(StandardSocketOptions.TCP_NODELAY, true);
      ByteBuffer head = ByteBuffer.allocateDirect(Exchange.BYTES);
      if (NioSockets.fill(socket, head)) {
        conversation.hold(socket, Exchange.read(head.flip()));
      }
    } catch (IOException e) {
      // the client is gone
    }
  }

  @Override
  public int port() {
    return listening.socket().getLocalPort();
  }

  @Override
  public void close() {
    NioSockets.closeQuietly(listening);
  }
}
