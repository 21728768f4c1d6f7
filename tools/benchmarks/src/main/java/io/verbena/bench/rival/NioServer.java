package io.verbena.bench.rival;

import io.verbena.bench.load.Messages;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** Answers the requests of each read together. */
final class NioServer {
  private static final int BUFFER_BYTES = 1 << 20;

  private NioServer() {}

  static RivalServer start(String host) {
    return BlockingServer.start(host, "nio", NioServer::converse);
  }

  private static void converse(SocketChannel socket, Exchange exchange) throws IOException {
    if (exchange.requestBytes() == exchange.replyBytes()) {
      echo(socket);
    } else {
      answer(socket, exchange);
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
}
