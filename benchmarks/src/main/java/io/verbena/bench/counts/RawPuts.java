package io.verbena.bench.counts;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/**
 * What puts ask of the kernel when nothing but blocking sockets of java.nio moves them: the bytes
 * there, eight bytes back. Its server's thread is a daemon.
 */
final class RawPuts implements AutoCloseable {
  /** The server's thread. */
  static final String SERVER = "raw-server";

  private static final int ANSWER_BYTES = Long.BYTES;

  private final SocketChannel client;
  private final SocketChannel server;

  RawPuts() throws IOException {
    try (ServerSocketChannel listening = ServerSocketChannel.open()) {
      listening.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      client = SocketChannel.open(listening.getLocalAddress());
      server = listening.accept();
    }
    client.setOption(StandardSocketOptions.TCP_NODELAY, true);
    server.setOption(StandardSocketOptions.TCP_NODELAY, true);
  }

  /** Makes the puts of a load, one at a time. */
  void put(StandardLoad load) throws IOException, InterruptedException {
    Thread taker = Thread.ofPlatform().daemon().name(SERVER).start(() -> take(load));
    ByteBuffer object = ByteBuffer.allocateDirect(load.size());
    ByteBuffer answer = ByteBuffer.allocateDirect(ANSWER_BYTES);
    for (int i = 0; i < load.operations(); i++) {
      write(client, object.clear());
      read(client, answer.clear());
    }
    taker.join();
  }

  private void take(StandardLoad load) {
    try {
      ByteBuffer object = ByteBuffer.allocateDirect(load.size());
      ByteBuffer answer = ByteBuffer.allocateDirect(ANSWER_BYTES);
      for (int i = 0; i < load.operations(); i++) {
        read(server, object.clear());
        write(server, answer.clear());
      }
    } catch (IOException e) {
      // the client sees that its socket is at an end
    }
  }

  private static void write(SocketChannel to, ByteBuffer bytes) throws IOException {
    while (bytes.hasRemaining()) {
      to.write(bytes);
    }
  }

  private static void read(SocketChannel from, ByteBuffer bytes) throws IOException {
    while (bytes.hasRemaining()) {
      if (from.read(bytes) < 0) {
        throw new EOFException("the other end is gone");
      }
    }
  }

  @Override
  public void close() throws IOException {
    client.close();
    server.close();
  }
}
