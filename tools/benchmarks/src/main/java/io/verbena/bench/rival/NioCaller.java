package io.verbena.bench.rival;

import io.verbena.bench.load.Call;
import io.verbena.bench.load.Caller;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A blocking socket of java.nio. One thread reads answers, which come in the order of their calls.
 * Calls that it starts meanwhile leave in one write before the next read.
 */
final class NioCaller implements Caller {
  private static final int LEAST_BUFFER = 1 << 16;

  private final SocketChannel socket;
  private final Exchange exchange;
  private final ByteBuffer out;
  private final ByteBuffer in;
  private final ReentrantLock sending = new ReentrantLock();
  private final ArrayDeque<Call> underWay = new ArrayDeque<>();
  private final Thread reader;
  private final boolean validate;
  private volatile boolean closing;

  /** The failure of the connection; null while it works. */
  private @Nullable Exception broken;

  NioCaller(String host, int port, Exchange exchange, boolean validate) throws IOException {
    this.exchange = exchange;
    this.validate = validate;
    this.out = ByteBuffer.allocateDirect(Math.max(LEAST_BUFFER, exchange.requestBytes()));
    this.in = ByteBuffer.allocateDirect(Math.max(LEAST_BUFFER, exchange.replyBytes()));
    this.socket = SocketChannel.open(new InetSocketAddress(host, port));
    socket.setOption(StandardSocketOptions.TCP_NODELAY, true);
    ByteBuffer head = ByteBuffer.allocateDirect(Exchange.BYTES);
    exchange.write(head);
    NioSockets.drain(socket, head.flip());
    reader = Thread.ofPlatform().daemon().name("nio-caller").unstarted(this::read);
    reader.start();
  }

  @Override
  public void start(Call call) {
    sending.lock();
    try {
      Exception known = broken;
      if (known != null) {
        call.failed(known);
        return;
      }
      underWay.add(call);
      if (out.remaining() < exchange.requestBytes()) {
        flush();
      }
      out.put(call.message());
      if (Thread.currentThread() != reader) {
        flush();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      sending.unlock();
    }
  }

  private void flush() throws IOException {
    NioSockets.drain(socket, out.flip());
    out.clear();
  }

  private void read() {
    try {
      while (socket.read(in) >= 0) {
        takeAnswers();
        sending.lock();
        try {
          flush();
        } finally {
          sending.unlock();
        }
      }
      failAll(new EOFException("the server has closed the connection"));
    } catch (IOException | RuntimeException e) {
      failAll(e);
    }
  }

  private void takeAnswers() {
    in.flip();
    while (in.remaining() >= exchange.replyBytes()) {
      Call call = poll();
      if (call == null) {
        throw new IllegalStateException("an answer arrived without a call");
      }
      if (validate) {
        byte[] answer = new byte[exchange.replyBytes()];
        in.get(answer);
        call.answered(answer);
      } else {
        long number = in.getLong(in.position());
        in.position(in.position() + exchange.replyBytes());
        call.answered(number);
      }
    }
    in.compact();
  }

  private @Nullable Call poll() {
    sending.lock();
    try {
      return underWay.poll();
    } finally {
      sending.unlock();
    }
  }

  private void failAll(Exception cause) {
    if (closing) {
      return;
    }
    sending.lock();
    try {
      broken = cause;
    } finally {
      sending.unlock();
    }
    for (Call call = poll(); call != null; call = poll()) {
      call.failed(cause);
    }
  }

  @Override
  public String path() {
    return "tcp (blocking java.nio)";
  }

  @Override
  public void close() {
    closing = true;
    NioSockets.closeQuietly(socket);
  }
}
