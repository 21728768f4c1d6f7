package io.verbena.testkit.abuse;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * A slow line between clients and a server, shared by all of their connections: so many bits per
 * second each way. It holds little of what it has not passed on yet, and so pushes back.
 */
public final class ThrottledProxy implements AutoCloseable {
  private static final int SOCKET_BUFFER = 8 << 10;
  private static final int PACKET = 1 << 10;

  private final ServerSocket listening = new ServerSocket();
  private final URI server;
  private final Line toServer;
  private final Line toClient;
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private final AtomicInteger connections = new AtomicInteger();
  private final AtomicInteger resets = new AtomicInteger();

  /**
   * Begins to listen, on a port of loopback.
   *
   * @param server where connections go on to
   * @param bitsPerSecond each way, of all connections together
   */
  public ThrottledProxy(URI server, long bitsPerSecond) throws IOException {
    this.server = server;
    this.toServer = new Line(bitsPerSecond);
    this.toClient = new Line(bitsPerSecond);
    listening.setReceiveBufferSize(SOCKET_BUFFER);
    listening.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    Thread.ofVirtual().start(this::accept);
  }

  /** Returns where clients connect to, as {@code host:port}. */
  public String address() {
    return "127.0.0.1:" + listening.getLocalPort();
  }

  /** Returns how many connections there have been. */
  public int connections() {
    return connections.get();
  }

  /** Returns how many bytes have gone to clients. */
  public long bytesToClients() {
    return toClient.bytes.get();
  }

  /** Has the next connections reset at their first byte. */
  public void resetNext(int count) {
    resets.set(count);
  }

  /** Resets every connection there is now. */
  public void cut() {
    List.copyOf(sockets).forEach(ThrottledProxy::reset); // not those that come of this
  }

  private static void reset(Socket socket) {
    try (socket) {
      socket.setSoLinger(true, 0);
    } catch (IOException e) {
      // its own thread has closed it meanwhile
    }
  }

  private void accept() {
    try {
      while (true) {
        Socket client = listening.accept();
        connections.incrementAndGet();
        if (resets.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
          Thread.ofVirtual().start(() -> resetAtFirstByte(client));
          continue;
        }
        goOn(client);
      }
    } catch (IOException e) {
      // closed: the test is over
    }
  }

  private void goOn(Socket client) throws IOException {
    Socket onward = new Socket();
    onward.setReceiveBufferSize(SOCKET_BUFFER);
    try {
      onward.connect(new InetSocketAddress(server.getHost(), server.getPort()));
    } catch (ConnectException e) {
      reset(client); // as the server would have refused it
      return;
    }
    for (Socket socket : new Socket[] {client, onward}) {
      socket.setSendBufferSize(SOCKET_BUFFER);
      socket.setTcpNoDelay(true);
      sockets.add(socket);
    }
    Thread.ofVirtual().start(() -> pass(client, onward, toServer));
    Thread.ofVirtual().start(() -> pass(onward, client, toClient));
  }

  private static void resetAtFirstByte(Socket client) {
    try {
      int first = client.getInputStream().read();
      if (first >= 0) {
        reset(client);
      }
    } catch (IOException e) {
      // the client has closed it
    }
  }

  private void pass(Socket from, Socket to, Line line) {
    byte[] buffer = new byte[PACKET];
    try (from;
        to) {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int count = in.read(buffer); count > 0; count = in.read(buffer)) {
        line.carry(count);
        out.write(buffer, 0, count);
      }
    } catch (IOException e) {
      // the other direction has ended, or an end has closed it
    } finally {
      sockets.remove(from);
    }
  }

  @Override
  public void close() throws IOException {
    listening.close();
    cut();
  }

  /** One direction: whoever comes first is carried first. */
  private static final class Line {
    private final long bitsPerSecond;
    private final AtomicLong bytes = new AtomicLong();
    private long freeAt = System.nanoTime();

    Line(long bitsPerSecond) {
      this.bitsPerSecond = bitsPerSecond;
    }

    void carry(int count) {
      bytes.addAndGet(count);
      long until = reserve(count * 8L * 1_000_000_000 / bitsPerSecond);
      for (long left = until - System.nanoTime(); left > 0; left = until - System.nanoTime()) {
        LockSupport.parkNanos(left);
      }
    }

    private synchronized long reserve(long nanos) {
      freeAt = Math.max(freeAt, System.nanoTime()) + nanos;
      return freeAt;
    }
  }
}
