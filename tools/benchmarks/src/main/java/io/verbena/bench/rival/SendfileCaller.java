package io.verbena.bench.rival;

import io.verbena.bench.load.Call;
import io.verbena.bench.load.Caller;
import io.verbena.bench.load.Kind;
import io.verbena.bench.load.Messages;
import io.verbena.bench.load.Scratch;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;

/** Copies files through a blocking socket, one after the other. */
final class SendfileCaller implements Caller {
  private final Exchange exchange;
  private final SocketChannel socket;
  private final Path path;
  private final FileCopy copy = new FileCopy();
  private final ByteBuffer number = ByteBuffer.allocateDirect(Kind.NUMBER_BYTES);
  private final BlockingQueue<Call> waiting = new LinkedBlockingQueue<>();
  private final Thread worker;

  /** The expected content of a fetched file; null if it is not checked. */
  private final byte @Nullable [] expected;

  SendfileCaller(String host, int port, Exchange exchange, boolean validate) throws IOException {
    this.exchange = exchange;
    this.expected = validate && !isPut() ? Messages.of(exchange.replyBytes()) : null;
    this.path = Scratch.file();
    if (isPut()) {
      Files.write(path, Messages.of(exchange.requestBytes()));
    }
    this.socket = SocketChannel.open(new InetSocketAddress(host, port));
    socket.setOption(StandardSocketOptions.TCP_NODELAY, true);
    ByteBuffer head = ByteBuffer.allocateDirect(Exchange.BYTES);
    exchange.write(head);
    NioSockets.drain(socket, head.flip());
    worker = Thread.ofPlatform().daemon().name("sendfile-caller").unstarted(this::work);
    worker.start();
  }

  private boolean isPut() {
    return exchange.requestBytes() > exchange.replyBytes();
  }

  @Override
  public void start(Call call) {
    waiting.add(call);
  }

  private void work() {
    try (FileChannel file = FileChannel.open(path)) {
      while (true) {
        Call call = waiting.take();
        try {
          move(file);
          call.answered(call.number());
        } catch (IOException e) {
          call.failed(e);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      // closed
    }
  }

  private void move(FileChannel file) throws IOException {
    if (isPut()) {
      copy.send(file, socket);
      if (!NioSockets.fill(socket, number.clear())) {
        throw new EOFException("the server is gone");
      }
    } else {
      NioSockets.drain(socket, number.clear());
      copy.receive(socket, path, exchange.replyBytes());
      if (expected != null && !Arrays.equals(expected, Files.readAllBytes(path))) {
        throw new IOException("the content of a file is wrong");
      }
    }
  }

  @Override
  public String path() {
    return "tcp (FileChannel.transferTo)";
  }

  @Override
  public void close() {
    worker.interrupt();
    NioSockets.closeQuietly(socket);
    try {
      Files.deleteIfExists(path);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
