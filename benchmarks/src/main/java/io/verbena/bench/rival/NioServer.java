package io.verbena.bench.rival;

import io.verbena.bench.load.Messages;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/** Blocking sockets of java.nio, a platform thread for each: answers what one read has brought. */
final class NioServer implements RivalServer {
  private static final int BUFFER_BYTES = 1 << 20;

  private final ServerSocketChannel listening;

  private NioServer(ServerSocketChannel listening) {
    this.listening = listening;
  }

  static NioServer start(String host) {
    try {
      ServerSocketChannel listening = ServerSocketChannel.open();
      listening.bind(new InetSocketAddress(host, 0));
      NioServer server = new NioServer(listening);
      Thread.ofPlatform().daemon().name("nio-accept").start(server::accept);
      return server;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void accept() {
    try {
      while (true) {
        SocketChannel socket = listening.accept();
        Thread.ofPlatform().daemon().name("nio-serve").start(() -> serve(socket));
      }
    } catch (IOException e) {
      // closed
    }
  }

  private static void serve(SocketChannel accepted) {
    try (SocketChannel socket = accepted) {
      socket.setOption(StandardSocketOptions.TCP_NODELAY, true);
      ByteBuffer head = ByteBuffer.allocateDirect(Exchange.BYTES);
      if (!NioSockets.fill(socket, head)) {
        return;
      }
      Exchange exchange = Exchange.read(head.flip());
      if (exchange.requestBytes() == exchange.replyBytes()) {
        echo(socket);
      } else {
        answer(socket, exchange);
      }
    } catch (IOException e) {
      // the client is gone
    }
  }

  private static void echo(SocketChannel socket) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES);
    while (socket.read(buffer.clear()) >= 0) {
      NioSockets.drain(socket, buffer.flip());
    }
  }

  private static void answer(SocketChannel socket, Exchange exchange) throws IOException {
    ByteBuffer request = ByteBuffer.allocateDirect(exchange.requestBytes());
    ByteBuffer reply = ByteBuffer.allocateDirect(exchange.replyBytes());
    reply.put(Messages.of(exchange.replyBytes())).clear();
    while (NioSockets.fill(socket, request.clear())) {
      reply.putLong(0, request.getLong(0));
      NioSockets.drain(socket, reply.clear());
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
