package io.verbena.testkit.abuse;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Many connections on which somebody speaks by hand, all on one thread. One that the server ends is
 * made again, a second later.
 */
final class HandMade implements Abuser {
  private static final long SECOND = 1_000_000_000L;
  private static final long STEP_MILLIS = 20;
  private static final int READ_BYTES = 64 << 10;

  /** Few, so that who reads nothing holds little outside of the server's process. */
  private static final int RECEIVE_BUFFER = 8 << 10;

  private final InetSocketAddress server;
  private final Selector selector;
  private final List<Connection> connections = new ArrayList<>();
  private final ByteBuffer read = ByteBuffer.allocateDirect(READ_BYTES);
  private final CountDownLatch ended = new CountDownLatch(1);
  private volatile boolean closed;
  private volatile boolean inEffect;
  private volatile long connected;
  private volatile long thrownOut;
  private volatile String failure = "";

  private HandMade(InetSocketAddress server, int count, IntFunction<Manner> manners)
      throws IOException {
    this.server = server;
    this.selector = Selector.open();
    long now = System.nanoTime();
    for (int i = 0; i < count; i++) {
      // Over a second, so that no burst is measured that was not meant.
      connections.add(new Connection(manners.apply(i), now + i * SECOND / count));
    }
  }

  /**
   * Starts.
   *
   * @param manners says how the connection of each number behaves
   */
  static Abuser start(InetSocketAddress server, int count, IntFunction<Manner> manners)
      throws IOException {
    HandMade all = new HandMade(server, count, manners);
    Thread.ofPlatform().daemon().name("abuser").start(all::run);
    return all;
  }

  private void run() {
    try {
      while (!closed) {
        selector.select(this::ready, STEP_MILLIS);
        long now = System.nanoTime();
        for (Connection one : connections) {
          one.step(now);
        }
        inEffect = inEffect || connections.stream().allMatch(Connection::hasBeenInEffect);
      }
      connections.forEach(Connection::drop);
      selector.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      ended.countDown();
    }
  }

  private void ready(SelectionKey key) {
    ((Connection) key.attachment()).ready();
  }

  @Override
  public boolean isInEffect() {
    return inEffect;
  }

  @Override
  public Got got() {
    return new Got(connected, thrownOut, 0, 0, failure);
  }

  @Override
  public void close() {
    closed = true;
    selector.wakeup();
    try {
      ended.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @SuppressWarnings("NonAtomicVolatileUpdate") // written by the one thread
  private final class Connection {
    private final Manner manner;
    private @Nullable SocketChannel socket;
    private long dueNanos;
    private int second;
    private ByteBuffer unsaid = ByteBuffer.allocate(0);
    private boolean hasBeenInEffect;

    Connection(Manner manner, long firstNanos) {
      this.manner = manner;
      this.dueNanos = firstNanos;
    }

    boolean hasBeenInEffect() {
      return hasBeenInEffect;
    }

    void step(long now) {
      if (now - dueNanos < 0) {
        return;
      }
      dueNanos = now + SECOND;
      SocketChannel open = socket;
      if (open == null) {
        connect();
      } else if (open.isConnected()) {
        speak(open);
      }
    }

    private void connect() {
      try {
        SocketChannel made = SocketChannel.open();
        socket = made;
        made.configureBlocking(false);
        made.setOption(StandardSocketOptions.TCP_NODELAY, true);
        if (!manner.reads()) {
          made.setOption(StandardSocketOptions.SO_RCVBUF, RECEIVE_BUFFER);
        }
        boolean isThere = made.connect(server);
        made.register(selector, isThere ? interest() : SelectionKey.OP_CONNECT, this);
        if (isThere) {
          begin(made);
        }
      } catch (IOException e) {
        failed(e);
      }
    }

    private int interest() {
      return manner.reads() ? SelectionKey.OP_READ : 0;
    }

    private void begin(SocketChannel made) {
      connected++;
      second = 0;
      unsaid = ByteBuffer.allocate(0);
      speak(made);
    }

    private void speak(SocketChannel to) {
      try {
        if (!unsaid.hasRemaining()) {
          unsaid = ByteBuffer.wrap(manner.says(second));
          hasBeenInEffect = hasBeenInEffect || second >= manner.inEffectFrom();
          second++;
        }
        to.write(unsaid); // the rest a second later
      } catch (IOException e) {
        thrownOut();
      }
    }

    void ready() {
      SocketChannel open = socket;
      if (open == null) {
        return;
      }
      try {
        if (!open.isConnected()) {
          if (open.finishConnect()) {
            open.keyFor(selector).interestOps(interest());
            begin(open);
          }
          return;
        }
        while (true) {
          int count = open.read(read.clear());
          if (count < 0) {
            thrownOut();
          }
          if (count <= 0) {
            return;
          }
        }
      } catch (IOException e) {
        if (open.isConnected()) {
          thrownOut();
        } else {
          failed(e);
        }
      }
    }

    private void failed(IOException e) {
      failure = "connect: " + e.getMessage();
      drop();
    }

    private void thrownOut() {
      thrownOut++;
      hasBeenInEffect = true;
      drop();
    }

    void drop() {
      SocketChannel open = socket;
      socket = null;
      if (open != null) {
        try {
          open.close();
        } catch (IOException e) {
          failure = "close: " + e.getMessage();
        }
      }
    }
  }
}
