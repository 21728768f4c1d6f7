package io.verbena.shm;

import io.verbena.link.runtime.ThrottledLog;
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
 * The sockets of a driver, looked at by its {@linkplain Waiter waiter}. Where that cannot wait, the
 * loop looks after the sockets itself, and does not sleep.
 */
final class Bells {
  private static final ThrottledLog UNHEARD =
      ThrottledLog.of(Bells.class, "sockets of shared-memory links that cannot be looked at");

  /** Peers that have connected and that the loop has not looked at; more are turned away. */
  private static final int MOST_CALLERS = 64;

  private static final long NANOS_PER_MILLI = 1_000_000;

  private static final int MOST_STROKES = 256;
  private static final int MOST_WORDS = 1024;

  /** For so long nobody is taken where somebody could not be. */
  private static final long DEAF_NANOS = 100 * NANOS_PER_MILLI;

  private final Selector selector;
  private final Waiter waiter;
  private final Runnable wakeLoop;
  private final ShmCounters counters;
  private final ArrayBlockingQueue<SocketChannel> callers = new ArrayBlockingQueue<>(MOST_CALLERS);
  private final ByteBuffer stroke;

  /** What the waiter has read of strokes. */
  private final ByteBuffer strokes;

  /** What the loop says to a peer by a socket, or has just heard. */
  private final ByteBuffer words;

  /** After which time the loop wants to look anyway, in ms; 0 for never. */
  private long limit;

  /** Where somebody has called who could not be taken; nobody is until the loop listens again. */
  private volatile @Nullable SelectionKey deaf;

  private boolean deafSeen;
  private long deafUntilNanos;

  /** Somebody has connected since the loop last looked. */
  private volatile boolean called;

  Bells(Arena memory, Waiter.Maker waiters, Runnable wakeLoop, ShmCounters counters)
      throws IOException {
    this.stroke = memory.allocate(1).asByteBuffer();
    this.strokes = memory.allocate(MOST_STROKES).asByteBuffer();
    this.words = memory.allocate(MOST_WORDS).asByteBuffer();
    this.selector = Selector.open();
    this.wakeLoop = wakeLoop;
    this.counters = counters;
    this.waiter = waiters.of(selector, this::ready, wakeLoop);
  }

  void watch(ServerSocketChannel server) throws IOException {
    server.register(selector, SelectionKey.OP_ACCEPT);
    watchNow();
  }

  /** Returns the bell of a link that stands, whose socket is watched from now on. */
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

  /** A channel was closed: the selector lets go of it. */
  void forget() {
    selector.wakeup();
  }

  /** Returns whether somebody may have connected that {@link #caller} has not returned. */
  boolean isCalled() {
    return called;
  }

  /** Returns a peer that has connected; null if there is none. */
  @Nullable SocketChannel caller() {
    called = false; // before the look: who comes later says so anew
    SocketChannel caller = callers.poll();
    called |= caller != null;
    return caller;
  }

  /**
   * Has the loop woken when there is something, or the time is over.
   *
   * @param nanos 0 for no limit
   * @return false where nobody can be had for that
   */
  boolean wakeAfter(long nanos) {
    limit = (nanos + NANOS_PER_MILLI - 1) / NANOS_PER_MILLI;
    return waiter.waitFor(limit);
  }

  /** Returns whether nobody looks after the sockets but the loop. */
  boolean isAlone() {
    return !waiter.isWaiting();
  }

  /** Reads what there is, and fits; returns how much that is, or -1 at the end. */
  int read(SocketChannel from, ByteBuffer into) throws IOException {
    int read = from.read(words.clear().limit(Math.min(words.capacity(), into.remaining())));
    into.put(words.flip());
    return read;
  }

  /** Writes what the socket takes now, and returns how much that is. */
  int write(SocketChannel to, ByteBuffer bytes) throws IOException {
    int length = Math.min(words.capacity(), bytes.remaining());
    int written = to.write(words.clear().put(0, bytes, bytes.position(), length).limit(length));
    bytes.position(bytes.position() + written);
    return written;
  }

  /** Looks after the sockets on the loop. */
  void look() {
    try {
      selector.selectNow(this::ready);
    } catch (IOException e) {
      UNHEARD.warn("Sockets of shared-memory links cannot be looked at: {}", e.getMessage());
    }
  }

  private void ready(SelectionKey key) {
    if (key.attachment() instanceof Bell bell) {
      counters.wakeUps.increment();
      wakeLoop.run(); // before the byte is read: the loop has what the ring has already
      if (bell.drain(strokes) != 1) {
        wakeLoop.run(); // it may have slept again, and been rung for
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
      // Without a file descriptor for it, say: it would be there again at once.
      UNHEARD.warn(
          "A caller of shared-memory links is not taken yet: {}; too few file descriptors?",
          e.getMessage());
      key.interestOps(0);
      deaf = key;
    }
  }

  /** Takes callers again some time after one could not be taken. On the loop. */
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

  /** Nobody waits any more, and those who have called are turned away. */
  void close() throws IOException {
    selector.close();
    waiter.close();
    SocketChannel caller;
    while ((caller = callers.poll()) != null) {
      caller.close();
    }
  }
}
