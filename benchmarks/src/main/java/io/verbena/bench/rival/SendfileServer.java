package io.verbena.bench.rival;

import io.verbena.bench.load.Kind;
import io.verbena.bench.load.Messages;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;

/** Gives files, or takes them, a platform thread for each connection. */
final class SendfileServer implements RivalServer {
  private final ServerSocketChannel listening;

  private SendfileServer(ServerSocketChannel listening) {
    this.listening = listening;
  }

  static SendfileServer start(String host) {
    try {
      ServerSocketChannel listening = ServerSocketChannel.open();
      listening.bind(new InetSocketAddress(host, 0));
      SendfileServer server = new SendfileServer(listening);
      Thread.ofPlatform().daemon().name("sendfile-accept").start(server::accept);
      return server;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void accept() {
    try {
      while (true) {
        SocketChannel socket = listening.accept();
        Thread.ofPlatform().daemon().name("sendfile-serve").start(() -> serve(socket));
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
      Path path = Files.createTempFile("verbena-bench", ".sendfile");
      try {
        if (exchange.requestBytes() > exchange.replyBytes()) {
          take(socket, path, exchange.requestBytes());
        } else {
          give(socket, Files.write(path, Messages.of(exchange.replyBytes())));
        }
      } finally {
        Files.delete(path);
      }
    } catch (IOException e) {
      // the client is gone
    }
  }

  private static void take(SocketChannel socket, Path path, int length) throws IOException {
    FileCopy copy = new FileCopy();
    ByteBuffer done = ByteBuffer.allocateDirect(Kind.NUMBER_BYTES);
    while (true) {
      copy.receive(socket, path, length);
      NioSockets.drain(socket, done.clear());
    }
  }

  private static void give(SocketChannel socket, Path path) throws IOException {
    FileCopy copy = new FileCopy();
    ByteBuffer asked = ByteBuffer.allocateDirect(Kind.NUMBER_BYTES);
    try (FileChannel file = FileChannel.open(path)) {
      while (NioSockets.fill(socket, asked.clear())) {
        copy.send(file, socket);
      }
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
