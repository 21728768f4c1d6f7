package io.verbena.shm;

import io.verbena.link.runtime.ThrottledLog;
import io.verbena.link.runtime.Thrown;
import java.io.Closeable;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.ArrayBlockingQueue;
import org.jspecify.annotations.Nullable;

/**
 * The sockets of a driver. Its {@linkplain Waiter waiter} watches them. If the waiter cannot wait,
 * the loop looks at the sockets itself, and does not sleep.
 */
final class Bells implements Closeable {
  private static final ThrottledLog UNHEARD =
      ThrottledLog.of(Bells.class, "sockets of shared-memory links that cannot be looked at");

  /** The limit of connected peers that the loop has not seen yet; further ones are turned away. */
  private static final int MOST_CALLERS = 64;

  private static final long NANOS_PER_MILLI = 1_000_000;

  private static final int MOST_STROKES = 256;
  private static final int MOST_WORDS = 1024;

  /** The time without accepts after an accept has failed. */
  private static final long DEAF_NANOS = 100 * NANOS_PER_MILLI;

  private final Selector selector;
  private final Waiter waiter;
  private final Runnable wakeLoop;
  private final ShmCounters counters;
  private final ArrayBlockingQueue<SocketChannel> callers = new ArrayBlockingQueue<>(MOST_CALLERS);
  private final ByteBuffer stroke;

  /** The bytes that the waiter has read from peers that rang. */
  private final ByteBuffer strokes;

  /** The bytes that the loop writes to a socket, or has read from one. */
  private final ByteBuffer words;

  /** The time after which the loop wakes anyway, in ms; 0 for never. */
  private long limit;

  /** The listening socket while it does not accept, after a failed accept; else null. */
  private volatile @Nullable SelectionKey deaf;

  private boolean deafSeen;
  private long deafUntilNanos;

  /** A peer has connected since the loop last looked. */
  private volatile boolean called;

  Bells(Arena memory, Waiter.Maker waiters, Runnable wakeLoop, ShmCounters counters)
      throws IOException {
    this.selector = Selector.open(); // first: if it fails, nothing was allocated
    this.stroke = memory.allocate(1).asByteBuffer();
    this.strokes = memory.allocate(MOST_STROKES).asByteBuffer();
    this.words = memory.allocate(MOST_WORDS).asByteBuffer();
    this.wakeLoop = wakeLoop;
    this.counters = counters;
    this.waiter = waiters.of(selector, this::ready, wakeLoop);
  }

  void watch(ServerSocketChannel server) throws IOException {
    server.register(selector, SelectionKey.OP_ACCEPT);
    watchNow();
  }

  /** Returns the bell of an open link, and watches its socket from now on. */
  Bell watch(SocketChannel socket) throws IOException {
    Bell bell = new Bell(socket, stroke);
    socket.register(selector, SelectionKey.OP_READ, bell);
    watchNow();
    return bell;
  }

  private void watchNow() {
    if (waiter.waitFor(limit)) {
      selector.wakeup();
    }
  }

  /** Makes the selector release a closed channel. */
  void forget() {
    selector.wakeup();
  }

  /** Returns whether a peer may have connected that {@link #caller} has not returned. */
  boolean isCalled() {
    return called;
  }

  /** Returns a peer that has connected; null if there is none. */
  @Nullable SocketChannel caller() {
    called = false; // before the look: a later caller sets it again
    SocketChannel caller = callers.poll();
    called |= caller != null;
    return caller;
  }

  /**
   * Wakes the loop when a socket is ready, or when the time is over.
   *
   * @param nanos 0 for no limit
   * @return false if there is no waiter for that
   */
  boolean wakeAfter(long nanos) {
    limit = (nanos + NANOS_PER_MILLI - 1) / NANOS_PER_MILLI;
    return waiter.waitFor(limit);
  }

  /** Returns whether only the loop looks at the sockets. */
  boolean isAlone() {
    return !waiter.isWaiting();
  }

  /** Reads the available bytes, as far as they fit; returns their number, or -1 at the end. */
  int read(SocketChannel from, ByteBuffer into) throws IOException {
    int read = from.read(words.clear().limit(Math.min(words.capacity(), into.remaining())));
    into.put(words.flip());
    return read;
  }

  /** Writes as much as the socket takes now; returns the number of bytes. */
  int write(SocketChannel to, ByteBuffer bytes) throws IOException {
    int length = Math.min(words.capacity(), bytes.remaining());
    int written = to.write(words.clear().put(0, bytes, bytes.position(), length).limit(length));
    bytes.position(bytes.position() + written);
    return written;
  }

  /** Looks at the sockets on the loop. */
  void look() {
    try {
      selector.selectNow(this::ready);
    } catch (IOException e) {
      UNHEARD.warn("Sockets of shared-memory links cannot be looked at: {}", Thrown.reason(e));
    }
  }

  private void ready(SelectionKey key) {
    if (key.attachment() instanceof Bell bell) {
      counters.wakeUps.increment();
      wakeLoop.run(); // before the byte is read: the frames are in the ring already
      if (bell.drain(strokes) != 1) {
        wakeLoop.run(); // the loop may have slept again meanwhile, and the peer rung again
      }
      if (bell.isGone()) {
        key.cancel();
      }
    } else if (key.channel() instanceof ServerSocketChannel server) {
      accept(key, server);
      wakeLoop.run();
    }
  }

  private void accept(SelectionKey key, ServerSocketChannel server) {
    try {
      SocketChannel caller;
      while ((caller = server.accept()) != null) {
        if (callers.offer(caller)) {
          called = true;
        } else {
          counters.strangers.increment();
          caller.close();
        }
      }
    } catch (IOException e) {
      // The cause may be a lack of file descriptors. Without a pause, the same event would come
      // again at once.
      UNHEARD.warn(
          "A connection for a shared-memory link could not be accepted: {};"
              + " too few file descriptors?",
          Thrown.reason(e));
      key.interestOps(0);
      deaf = key;
    }
  }

  /** Accepts again some time after an accept has failed. On the loop. */
  void listenAgain(long now) {
    SelectionKey key = deaf;
    if (key == null) {
      return;
    }
    if (!deafSeen) {
      deafSeen = true;
      deafUntilNanos = now + DEAF_NANOS;
    } else if (now - deafUntilNanos >= 0) {
      deafSeen = false;
      deaf = null;
      if (key.isValid()) {
        key.interestOps(SelectionKey.OP_ACCEPT);
        selector.wakeup();
      }
    }
  }

  /**
   * Ends the waiter, and turns away peers that have connected. If a step fails, the others are done
   * all the same.
   */
  @Override
  public void close() throws IOException {
    try (Closeable _ = this::turnAway;
        Closeable _ = waiter::close) {
      selector.close();
    }
  }

  private void turnAway() throws IOException {
    SocketChannel caller;
    while ((caller = callers.poll()) != null) {
      caller.close();
    }
  }
}
