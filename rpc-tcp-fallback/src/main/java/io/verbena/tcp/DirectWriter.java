package io.verbena.tcp;

import io.netty.channel.Channel;
import io.netty.channel.unix.FileDescriptor;
import io.netty.channel.unix.UnixChannel;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Writes to a socket past Netty's outbound buffer, for the case that there is nothing in it. Of
 * what Netty does there for each write, a link needs nothing; and outside its own kind of threads
 * Netty allocates an entry per write.
 */
interface DirectWriter {
  /**
   * Writes what the socket takes now.
   *
   * @return how many of the bytes from {@code from} (inclusive) to {@code to} (exclusive) it took
   */
  int write(ByteBuffer buffer, int from, int to) throws IOException;

  /**
   * Writes what the socket takes now of two buffers, in one system call; returns how many bytes.
   */
  int write(ByteBuffer first, ByteBuffer second) throws IOException;

  static DirectWriter to(Channel channel) {
    return channel instanceof UnixChannel unix ? new Unix(unix.fd()) : (DirectWriter) channel;
  }

  /** Writes to a socket of native epoll's. */
  record Unix(FileDescriptor socket) implements DirectWriter {
    @Override
    public int write(ByteBuffer buffer, int from, int to) throws IOException {
      return socket.write(buffer, from, to);
    }

    @Override
    public int write(ByteBuffer first, ByteBuffer second) throws IOException {
      return (int) socket.writev(new ByteBuffer[] {first, second}, 0, 2, Integer.MAX_VALUE);
    }
  }
}
