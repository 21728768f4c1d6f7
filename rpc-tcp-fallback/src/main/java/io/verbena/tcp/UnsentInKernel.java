package io.verbena.tcp;

import io.netty.channel.epoll.EpollSocketChannelConfig;
import io.netty.channel.socket.SocketChannel;

/**
 * Limits the bytes of a link that may wait unsent in the kernel, if the system allows that. Without
 * a limit it is up to 4 MiB, for which a small frame waits behind bulk bytes. Sent bytes without an
 * acknowledgement do not count, so the limit costs no speed on long paths. On loopback it more than
 * halves the wait.
 *
 * <p>The limit is one chunk. A chunk must be sent to its end before a small frame can follow, and
 * with this limit one system call takes it whole.
 */
final class UnsentInKernel {
  /** The limit for shorter chunks. */
  static final int LEAST = 128 << 10;

  private final SocketChannel channel;
  private int chunkBytes;

  UnsentInKernel(SocketChannel channel) {
    this.channel = channel;
  }

  /** Follows the length of chunks. */
  void follow(int bytes) {
    if (bytes != chunkBytes) {
      chunkBytes = bytes;
      limit(channel, Math.max(LEAST, bytes));
    }
  }

  static void limit(SocketChannel channel, int bytes) {
    if (channel.config() instanceof EpollSocketChannelConfig epoll) {
      epoll.setTcpNotSentLowAt(bytes);
    }
  }
}
