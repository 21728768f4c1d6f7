package io.verbena.tcp;

import io.netty.channel.Channel;
import io.netty.channel.unix.FileDescriptor;
import io.netty.channel.unix.UnixChannel;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Writes to a socket directly, without Netty's outbound buffer, while that is empty. A link needs
 * nothing that Netty does there for each write. Outside of its own kind of threads, Netty would
 * also allocate an object for each write.
 */
interface DirectWriter {
  /**
   * Writes as much as the socket takes now.
   *
   * @return the number of written bytes from {@code from} (inclusive) to {@code to} (exclusive)
   */
  int write(ByteBuffer buffer, int from, int to) throws IOException;

  /**
   * Writes as much of two buffers as the socket takes now, in one system call. Returns the number
   * of written bytes.
   */
  int write(ByteBuffer first, ByteBuffer second) throws IOException;

  static DirectWriter to(Channel channel) {
    return channel instanceof UnixChannel unix ? new Unix(unix.fd()) : (DirectWriter) channel;
  }

  /** Writes to a socket of native epoll. */
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
