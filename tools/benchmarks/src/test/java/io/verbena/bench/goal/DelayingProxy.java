package io.verbena.bench.goal;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Arrays;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.LockSupport;

/** A proxy that delays the bytes of each connection, in each direction, without a limit of rate. */
final class DelayingProxy implements AutoCloseable {
  private static final int READ_BYTES = 1 << 18;
  private static final int MOST_PIECES = 4096;

  private final ServerSocket listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
  private final int server;
  private final long delayNanos;

  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Piece(byte[] bytes, long due) {}

  /** Interrupts nobody: its threads end with their connections. */
  private interface Work {
    void run() throws IOException, InterruptedException;
  }

  private DelayingProxy(int server, long delayNanos) throws IOException {
    this.server = server;
    this.delayNanos = delayNanos;
  }

  /** Returns a proxy for a server on loopback. */
  static DelayingProxy start(int server, long delayNanos) throws IOException {
    DelayingProxy proxy = new DelayingProxy(server, delayNanos);
    thread(proxy::accept);
    return proxy;
  }

  private static void thread(Work work) {
    Thread.ofPlatform()
        .daemon()
        .start(
            () -> {
              try {
                work.run();
              } catch (IOException | InterruptedException e) {
                // its connection, or the proxy, was closed
              }
            });
  }

  int port() {
    return listening.getLocalPort();
  }

  private void accept() throws IOException {
    while (true) {
      Socket client = listening.accept();
      Socket onward = new Socket(InetAddress.getLoopbackAddress(), server);
      client.setTcpNoDelay(true);
      onward.setTcpNoDelay(true);
      pass(client, onward);
      pass(onward, client);
    }
  }

  private void pass(Socket from, Socket to) {
    BlockingQueue<Piece> pieces = new LinkedBlockingQueue<>(MOST_PIECES);
    thread(() -> read(from, pieces));
    thread(() -> write(pieces, to));
  }

  private void read(Socket from, BlockingQueue<Piece> pieces)
      throws IOException, InterruptedException {
    byte[] buffer = new byte[READ_BYTES];
    try (InputStream in = from.getInputStream()) {
      for (int count = in.read(buffer); count > 0; count = in.read(buffer)) {
        pieces.put(new Piece(Arrays.copyOf(buffer, count), System.nanoTime() + delayNanos));
      }
    } finally {
      pieces.put(new Piece(new byte[0], 0)); // the end
    }
  }

  private static void write(BlockingQueue<Piece> pieces, Socket to)
      throws IOException, InterruptedException {
    try (OutputStream out = to.getOutputStream()) {
      for (Piece piece = pieces.take(); piece.bytes.length > 0; piece = pieces.take()) {
        for (long left = piece.due - System.nanoTime();
            left > 0;
            left = piece.due - System.nanoTime()) {
          LockSupport.parkNanos(left);
        }
        out.write(piece.bytes);
      }
    }
  }

  @Override
  public void close() throws IOException {
    listening.close();
  }
}
