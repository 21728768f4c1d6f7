package io.verbena.shm;

import io.verbena.link.runtime.OwnThreads;
import io.verbena.link.runtime.ThrottledLog;
import io.verbena.link.runtime.Thrown;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The sockets of a driver, watched by one daemon thread, which wakes the loop and touches nothing
 * of its links. Where no thread can be had, the loop looks after the sockets itself, and does not
 * wait.
 */
final class Bells {
  private static final ThrottledLog NO_THREAD =
      ThrottledLog.of(Bells.class, "waits for shared-memory links that found no thread");

  /** Peers that have connected and that the loop has not looked at; more are turned away. */
  private static final int MOST_CALLERS = 64;

  private static final long NANOS_PER_MILLI = 1_000_000;

  private static final long AGAIN_NANOS = 10 * NANOS_PER_MILLI;

  private final Selector selector;
  private final Runnable wakeLoop;
  private final ShmCounters counters;
  private final ArrayBlockingQueue<SocketChannel> callers = new ArrayBlockingQueue<>(MOST_CALLERS);
  private final ByteBuffer scratch = ByteBuffer.allocateDirect(256);
  private volatile @Nullable Thread thread;
  private volatile boolean closed;

  /** Somebody has connected since the loop last looked. */
  private volatile boolean called;

  /** After which time the loop wants to look anyway; 0 for never. */
  private volatile long limitMillis;

  Bells(Runnable wakeLoop, ShmCounters counters) throws IOException {
    this.selector = Selector.open();
    this.wakeLoop = wakeLoop;
    this.counters = counters;
  }

  void watch(ServerSocketChannel server) throws IOException {
    server.register(selector, SelectionKey.OP_ACCEPT);
    watchNow();
  }

  void watch(Bell bell) throws IOException {
    bell.socket.register(selector, SelectionKey.OP_READ, bell);
    watchNow();
  }

  private void watchNow() {
    if (start()) {
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
   * @return false where no thread can be had for that
   */
  boolean wakeAfter(long nanos) {
    long millis = (nanos + NANOS_PER_MILLI - 1) / NANOS_PER_MILLI;
    if (!start()) {
      return false;
    }
    if (millis != limitMillis) {
      limitMillis = millis;
      selector.wakeup();
    }
    return true;
  }

  private boolean start() {
    if (thread != null) {
      return true;
    }
    try {
      Thread started = OwnThreads.daemon("verbena-shm-waiter", this::run);
      thread = started;
      started.start();
      return true;
    } catch (Throwable e) { // also of the virtual machine: there is no thread
      thread = null;
      NO_THREAD.warn("The loop polls for shared-memory links: {}", Thrown.words(e));
      return false;
    }
  }

  private void run() {
    try {
      while (!closed) {
        long limit = limitMillis;
        if (selector.select(this::ready, limit) == 0 && limit > 0) {
          wakeLoop.run();
        }
      }
    } catch (ClosedSelectorException e) {
      // The driver is closed.
    } catch (Throwable e) { // or an idle loop would wait for ever
      NO_THREAD.error("The wait for shared-memory links failed; the loop polls {}", "meanwhile", e);
    } finally {
      thread = null;
      wakeLoop.run();
    }
  }

  /** Returns whether no thread looks after the sockets. */
  boolean isAlone() {
    return thread == null;
  }

  /** Looks after the sockets on the loop. */
  void look() {
    try {
      selector.selectNow(this::ready);
    } catch (IOException e) {
      NO_THREAD.warn("Sockets of shared-memory links cannot be looked at: {}", e.getMessage());
    }
  }

  private void ready(SelectionKey key) {
    if (key.attachment() instanceof Bell bell) {
      counters.wakeUps.increment();
      wakeLoop.run(); // before the byte is read: the loop has what the ring has already
      if (bell.drain(scratch) != 1) {
        wakeLoop.run(); // it may have slept again, and been rung for
      }
      if (bell.isGone()) {
        key.cancel();
      }
    } else if (key.channel() instanceof ServerSocketChannel server) {
      accept(server);
      wakeLoop.run();
    }
  }

  private void accept(ServerSocketChannel server) {
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
      // Without a file descriptor for it, say: it is there again at once.
      LockSupport.parkNanos(this, AGAIN_NANOS);
    }
  }

  /** Ends the thread, and returns when it has ended. */
  void close() throws IOException {
    closed = true;
    selector.close();
    Thread ending = thread;
    if (ending != null && ending != Thread.currentThread()) {
      boolean interrupted = false;
      while (ending.isAlive()) {
        try {
          ending.join();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
    SocketChannel caller;
    while ((caller = callers.poll()) != null) {
      caller.close();
    }
  }
}
