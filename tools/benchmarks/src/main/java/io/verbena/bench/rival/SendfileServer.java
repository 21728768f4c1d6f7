package io.verbena.bench.rival;

import io.verbena.bench.load.Kind;
import io.verbena.bench.load.Messages;
import io.verbena.bench.load.Scratch;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;

/** Sends or receives files. */
final class SendfileServer {
  private SendfileServer() {}

  static RivalServer start(String host) {
    return BlockingServer.start(host, "sendfile", SendfileServer::converse);
  }

  private static void converse(SocketChannel socket, Exchange exchange) throws IOException {
    Path path = Scratch.file();
    try {
      if (exchange.requestBytes() > exchange.replyBytes()) {
        take(socket, path, exchange.requestBytes());
      } else {
        give(socket, Files.write(path, Messages.of(exchange.replyBytes())));
      }
    } finally {
      Files.delete(path);
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
}
