package io.verbena.it.surroundings;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** A balancer that knows nothing but connections: it may move all of them to another server. */
final class Forwarder implements AutoCloseable {
  private final ServerSocket listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private volatile int port;

  Forwarder(int port) throws IOException {
    this.port = port;
    Thread.ofVirtual().start(this::accept);
  }

  int port() {
    return listening.getLocalPort();
  }

  /** From now on connections go there; those that are open are cut. */
  void moveTo(int other) {
    port = other;
    cut();
  }

  private void cut() {
    open.forEach(Forwarder::close);
  }

  private void accept() {
    try {
      while (true) {
        Socket from = listening.accept();
        open.add(from);
        Socket to = new Socket(InetAddress.getLoopbackAddress(), port);
        open.add(to);
        Thread.ofVirtual().start(() -> copy(from, to));
        Thread.ofVirtual().start(() -> copy(to, from));
      }
    } catch (IOException e) {
      cut(); // it is closed
    }
  }

  private static void copy(Socket from, Socket to) {
    try (InputStream in = from.getInputStream()) {
      in.transferTo(to.getOutputStream());
    } catch (IOException e) {
      // Either end has gone.
    }
    close(from);
    close(to);
  }

  private static void close(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      // It is of no use any more.
    }
  }

  @Override
  public void close() throws IOException {
    listening.close();
    cut();
  }
}
