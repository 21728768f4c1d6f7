package io.verbena.bench.rival;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Copies a file through a socket. One end uses sendfile, the other large reads and writes. */
final class FileCopy {
  private static final int BUFFER_BYTES = 1 << 20;

  private final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES);

  /** Sends a whole file. */
  void send(FileChannel file, SocketChannel to) throws IOException {
    long length = file.size();
    for (long sent = 0; sent < length; ) {
      sent += file.transferTo(sent, length - sent, to);
    }
  }

  /** Receives {@code length} bytes into a new file. */
  void receive(SocketChannel from, Path path, long length) throws IOException {
    try (FileChannel file =
        FileChannel.open(
            path,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE)) {
      for (long left = length; left > 0; ) {
        buffer.clear().limit((int) Math.min(buffer.capacity(), left));
        int count = from.read(buffer);
        if (count < 0) {
          throw new EOFException("the stream ended " + left + " bytes before the file");
        }
        left -= count;
        NioSockets.drain(file, buffer.flip());
      }
    }
  }
}
