package io.verbena.bench.counts;

import io.verbena.bench.rival.NioSockets;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/**
 * What the puts of a load ask of the kernel when nothing but blocking sockets of java.nio moves
 * them, one at a time: the bytes there, eight bytes back.
 */
final class RawPuts implements AutoCloseable {
  /** The server's thread, which lives until this is closed. */
  static final String SERVER = "raw-server";

  private static final int ANSWER_BYTES = Long.BYTES;

  private final StandardLoad load;
  private final SocketChannel client;
  private final SocketChannel server;

  RawPuts(StandardLoad load) throws IOException {
    this.load = load;
    try (ServerSocketChannel listening = ServerSocketChannel.open()) {
      listening.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      client = SocketChannel.open(listening.getLocalAddress());
      server = listening.accept();
    }
    client.setOption(StandardSocketOptions.TCP_NODELAY, true);
    server.setOption(StandardSocketOptions.TCP_NODELAY, true);
    Thread.ofPlatform().daemon().name(SERVER).start(this::take);
  }

  /** Makes them all. */
  void put() throws IOException {
    ByteBuffer object = ByteBuffer.allocateDirect(load.size());
    ByteBuffer answer = ByteBuffer.allocateDirect(ANSWER_BYTES);
    for (int i = 0; i < load.operations(); i++) {
      NioSockets.drain(client, object.clear());
      if (!NioSockets.fill(client, answer.clear())) {
        throw new EOFException("the other end is gone");
      }
    }
  }

  private void take() {
    try (server) {
      ByteBuffer object = ByteBuffer.allocateDirect(load.size());
      ByteBuffer answer = ByteBuffer.allocateDirect(ANSWER_BYTES);
      while (NioSockets.fill(server, object.clear())) {
        NioSockets.drain(server, answer.clear());
      }
    } catch (IOException e) {
      // the client sees that its socket is at an end
    }
  }

  @Override
  public void close() throws IOException {
    client.close();
  }
}
