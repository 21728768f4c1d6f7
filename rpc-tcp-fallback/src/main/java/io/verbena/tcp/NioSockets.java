package io.verbena.tcp;

import io.netty.channel.Channel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.List;

/** Sockets of the JDK that can be written to directly. */
final class NioSockets {
  private NioSockets() {}

  static class Socket extends NioSocketChannel implements DirectWriter {
    Socket() {}

    Socket(Channel parent, SocketChannel accepted) {
      super(parent, accepted);
    }

    @Override
    public int write(ByteBuffer buffer, int from, int to) throws IOException {
      return javaChannel().write(buffer.limit(to).position(from));
    }

    @Override
    public int write(ByteBuffer first, ByteBuffer second) throws IOException {
      return (int) javaChannel().write(new ByteBuffer[] {first, second});
    }
  }

  static final class ServerSocket extends NioServerSocketChannel {
    @Override
    protected int doReadMessages(List<Object> sockets) throws IOException {
      SocketChannel accepted = javaChannel().accept();
      if (accepted == null) {
        return 0;
      }
      sockets.add(new Socket(this, accepted));
      return 1;
    }
  }
}
