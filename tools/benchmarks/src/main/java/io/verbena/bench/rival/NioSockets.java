package io.verbena.bench.rival;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;

/** Helpers that java.nio lacks. */
public final class NioSockets {
  private NioSockets() {}

  /** Reads until the buffer is full. Returns false if the stream ended first. */
  public static boolean fill(ReadableByteChannel from, ByteBuffer buffer) throws IOException {
    while (buffer.hasRemaining()) {
      if (from.read(buffer) < 0) {
        return false;
      }
    }
    return true;
  }

  /** Writes the rest of the buffer. */
  public static void drain(WritableByteChannel to, ByteBuffer buffer) throws IOException {
    while (buffer.hasRemaining()) {
      to.write(buffer);
    }
  }

  static void closeQuietly(Closeable open) {
    try {
      open.close();
    } catch (IOException e) {
      // nothing can be done about it
    }
  }
}
