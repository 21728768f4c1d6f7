package io.verbena.it;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Passes bytes between clients and a server, and resets each connection after a random number of
 * them: within a frame, between frames, within the handshake.
 */
public final class CuttingProxy implements AutoCloseable {
  private static final int LEAST = 3_000;
  private static final int SPREAD = 30_000;

  private final ServerSocket listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
  private final URI server;
  private final Random random;
  private final AtomicInteger cuts = new AtomicInteger();

  /** Cuts connections to a server. */
  public CuttingProxy(URI server, Random random) throws IOException {
    this.server = server;
    this.random = random;
    Thread.ofVirtual().start(this::accept);
  }

  /** Returns {@code host:port}, for clients. */
  public String address() {
    return "127.0.0.1:" + listening.getLocalPort();
  }

  /** Returns how many connections it has cut. */
  public int cuts() {
    return cuts.get();
  }

  private void accept() {
    try {
      while (true) {
        Socket client = listening.accept();
        Socket onward = new Socket(server.getHost(), server.getPort());
        AtomicLong left = new AtomicLong(LEAST + random.nextInt(SPREAD));
        Thread.ofVirtual().start(() -> pass(client, onward, left));
        Thread.ofVirtual().start(() -> pass(onward, client, left));
      }
    } catch (IOException e) {
      // closed: the test is over
    }
  }

  private void pass(Socket from, Socket to, AtomicLong left) {
    byte[] buffer = new byte[1 << 12];
    try (from;
        to) {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int count = in.read(buffer); count > 0; count = in.read(buffer)) {
        long after = left.addAndGet(-count);
        out.write(buffer, 0, (int) Math.max(0, Math.min(count, after + count)));
        if (after <= 0) {
          cuts.incrementAndGet();
          from.setSoLinger(true, 0);
          to.setSoLinger(true, 0);
          return;
        }
      }
    } catch (IOException e) {
      // the other direction has cut the connection, or an end has closed it
    }
  }

  @Override
  public void close() throws IOException {
    listening.close();
  }
}
