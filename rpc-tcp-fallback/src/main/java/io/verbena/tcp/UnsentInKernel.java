package io.verbena.tcp;

import io.netty.channel.epoll.EpollSocketChannelConfig;
import io.netty.channel.socket.SocketChannel;

/**
 * How much of what the kernel took from a link may wait in it unsent, where that can be said.
 * Without it that is up to 4 MiB, for which a small frame waits behind bulk bytes. What is sent and
 * not acknowledged is not counted, so it costs no speed on long paths; on loopback it more than
 * halves that wait.
 *
 * <p>It is as much as a chunk has: that must be sent to its end before a small frame can follow,
 * and is taken at once then, with one system call.
 */
final class UnsentInKernel {
  /** Where chunks are shorter. */
  static final int LEAST = 128 << 10;

  private final SocketChannel channel;
  private int chunkBytes;

  UnsentInKernel(SocketChannel channel) {
    this.channel = channel;
  }

  /** Chunks have so many bytes from now on. */
  void follow(int bytes) {
    if (bytes != chunkBytes) {
      chunkBytes = bytes;
      limit(channel, Math.max(LEAST, bytes));
    }
  }

  /** Sets it. */
  static void limit(SocketChannel channel, int bytes) {
    if (channel.config() instanceof EpollSocketChannelConfig epoll) {
      epoll.setTcpNotSentLowAt(bytes);
    }
  }
}
