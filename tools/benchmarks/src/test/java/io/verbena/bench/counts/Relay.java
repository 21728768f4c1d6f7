package io.verbena.bench.counts;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;

/** Stands between one client's socket and its server's, and counts what passes. For one thread. */
final class Relay implements AutoCloseable {
  private static final int BUFFER_BYTES = 256 << 10;

  private final ServerSocketChannel listening;
  private final InetSocketAddress server;
  private final Way toServer = new Way();
  private final Way toClient = new Way();
  private @Nullable SocketChannel client;
  private @Nullable SocketChannel onward;

  /** A relay to a port of this host. */
  Relay(int port) {
    try {
      InetAddress here = InetAddress.getLoopbackAddress();
      server = new InetSocketAddress(here, port);
      listening = ServerSocketChannel.open().bind(new InetSocketAddress(here, 0));
      listening.configureBlocking(false);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns where it listens. */
  int port() {
    return listening.socket().getLocalPort();
  }

  /** Returns how many bytes the client has sent. */
  long fromClient() {
    return toServer.bytes;
  }

  /** Returns how many bytes the server has sent. */
  long fromServer() {
    return toClient.bytes;
  }

  /** Passes on what is there; returns whether there was something. */
  boolean step() {
    try {
      SocketChannel from = client;
      SocketChannel to = onward;
      if (from == null || to == null) {
        return accept();
      }
      boolean passed = toServer.pass(from, to);
      return toClient.pass(to, from) || passed;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private boolean accept() throws IOException {
    SocketChannel accepted = listening.accept();
    if (accepted == null) {
      return false;
    }
    accepted.configureBlocking(false);
    client = accepted;
    onward = SocketChannel.open(server);
    onward.configureBlocking(false);
    return true;
  }

  @Override
  public void close() throws IOException {
    listening.close();
    if (client != null) {
      client.close();
    }
    if (onward != null) {
      onward.close();
    }
  }

  private static final class Way {
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES);
    long bytes;

    boolean pass(SocketChannel from, SocketChannel to) throws IOException {
      int read = from.isOpen() && from.read(buffer) > 0 ? buffer.position() : 0;
      buffer.flip();
      int passed = buffer.hasRemaining() ? to.write(buffer) : 0;
      buffer.compact();
      bytes += passed;
      return passed > 0 || read > 0;
    }
  }
}
