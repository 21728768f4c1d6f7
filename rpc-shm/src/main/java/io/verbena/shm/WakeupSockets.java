package io.verbena.shm;

import io.verbena.link.LocalSockets;
import io.verbena.link.runtime.ThrottledLog;
import io.verbena.link.runtime.Thrown;
import java.io.Closeable;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.ArrayBlockingQueue;
import org.jspecify.annotations.Nullable;

/**
 * The sockets of a driver, by which peers wake its loop. Frames travel in shared memory alone.
 *
 * <pre>
 *   listening socket:  a peer connects ──→ {@link #takeConnected}, when the loop has woken
 *   {@link WakeupSocket} of a link:  a byte of the peer ──→ the loop wakes, and looks at the link's ring
 * </pre>
 *
 * <p>The loop watches them if it can, else a {@linkplain WaitedSockets waiter}. {@link #heard} and
 * {@link #accept} run where they are watched; all else is on the loop.
 */
final class WakeupSockets implements Closeable {
  private static final ThrottledLog UNHEARD =
      ThrottledLog.of(WakeupSockets.class, "peers of shared-memory links that cannot be accepted");

  /** The most connected peers that the loop has not seen yet; further ones are turned away. */
  private static final int MOST_CONNECTED = 64;

  private static final int DRAIN_BYTES = 256;
  private static final int SCRATCH_BYTES = 1024;

  /** The time without accepts after an accept has failed. */
  private static final long PAUSE_NANOS = 100_000_000;

  private final LocalSockets sockets;
  private final ShmCounters counters;
  private final ArrayBlockingQueue<LocalSockets.Connected> connected =
      new ArrayBlockingQueue<>(MOST_CONNECTED);

  /** The byte that wakes a peer. Its value does not matter. */
  private final ByteBuffer wakeByte;

  /** The bytes that were read from peers that woke this end; nobody looks at them. */
  private final ByteBuffer drained;

  /** The bytes that the loop writes to a socket, or has read from one. */
  private final ByteBuffer scratch;

  /** The listening socket while it pauses, because an accept has failed; else null. */
  private volatile LocalSockets.@Nullable Listening paused;

  /** Whether the loop has seen the pause, and set its end. */
  private boolean pauseTimed;

  private long pausedUntilNanos;

  /** A peer has connected since the loop last looked. */
  private volatile boolean hasConnected;

  WakeupSockets(Arena memory, LocalSockets sockets, ShmCounters counters) {
    this.sockets = sockets;
    this.wakeByte = memory.allocate(1).asByteBuffer();
    this.drained = memory.allocate(DRAIN_BYTES).asByteBuffer();
    this.scratch = memory.allocate(SCRATCH_BYTES).asByteBuffer();
    this.counters = counters;
  }

  LocalSockets.Connected connect(Path path) throws IOException {
    return sockets.connect(path);
  }

  /** Listens at a path, and watches the socket from now on. */
  LocalSockets.Listening listen(Path path, int backlog) throws IOException {
    LocalSockets.Listening server = sockets.listen(path, backlog);
    boolean watched = false;
    try {
      watch(server);
      watched = true;
      return server;
    } finally {
      if (!watched) {
        server.close();
      }
    }
  }

  private void watch(LocalSockets.Listening server) throws IOException {
    server.watch(() -> accept(server));
  }

  /** Returns the socket of an open link, and watches it from now on. */
  WakeupSocket watch(LocalSockets.Connected socket) throws IOException {
    WakeupSocket wakeup = new WakeupSocket(socket, wakeByte);
    socket.watch(() -> heard(wakeup));
    return wakeup;
  }

  /** Returns whether a peer may have connected that {@link #takeConnected} has not returned. */
  boolean mayHaveConnected() {
    return hasConnected;
  }

  /** Returns a peer that has connected; null if there is none. */
  LocalSockets.@Nullable Connected takeConnected() {
    hasConnected = false; // before the look: a later peer sets it again
    LocalSockets.Connected peer = connected.poll();
    hasConnected |= peer != null;
    return peer;
  }

  /**
   * Makes each socket that becomes ready end the loop's wait, and the end of a time, too.
   *
   * @param nanos 0 for no limit
   * @return false if that is not possible
   */
  boolean arm(long nanos) {
    return sockets.arm(nanos);
  }

  /** Looks at the sockets on the loop, unless something else watches them. */
  void look() {
    sockets.poll();
  }

  /** Reads the available bytes, as far as they fit; returns their number, or -1 at the end. */
  int read(LocalSockets.Connected from, ByteBuffer into) throws IOException {
    int read = from.read(scratch.clear().limit(Math.min(scratch.capacity(), into.remaining())));
    into.put(scratch.flip());
    return read;
  }

  /** Writes as much as the socket takes now; returns the number of bytes. */
  int write(LocalSockets.Connected to, ByteBuffer bytes) throws IOException {
    int length = Math.min(scratch.capacity(), bytes.remaining());
    int written = to.write(scratch.clear().put(0, bytes, bytes.position(), length).limit(length));
    bytes.position(bytes.position() + written);
    return written;
  }

  private void heard(WakeupSocket wakeup) {
    counters.wakeUps.increment();
    int _ = wakeup.drain(drained);
    if (wakeup.isGone()) {
      wakeup.socket.unwatch();
    }
  }

  private void accept(LocalSockets.Listening server) {
    try {
      LocalSockets.Connected peer;
      while ((peer = server.accept()) != null) {
        if (connected.offer(peer)) {
          hasConnected = true;
        } else {
          counters.strangers.increment();
          peer.close();
        }
      }
    } catch (IOException e) {
      // The cause may be a lack of file descriptors. Without a pause, the same event would come
      // again at once.
      UNHEARD.warn(
          "A connection for a shared-memory link could not be accepted: {};"
              + " too few file descriptors?",
          Thrown.reason(e));
      server.unwatch();
      paused = server;
    }
  }

  /** Accepts again some time after an accept has failed. On the loop. */
  void listenAgain(long now) {
    LocalSockets.Listening server = paused;
    if (server == null) {
      return;
    }
    if (!pauseTimed) {
      pauseTimed = true;
      pausedUntilNanos = now + PAUSE_NANOS;
    } else if (now - pausedUntilNanos >= 0) {
      pauseTimed = false;
      paused = null;
      try {
        watch(server);
      } catch (IOException e) {
        UNHEARD.warn(
            "No further connections for shared-memory links are accepted: {}", Thrown.reason(e));
      }
    }
  }

  /** Forgets a listening socket that was closed. */
  void closed(LocalSockets.Listening server) {
    if (paused == server) {
      paused = null;
      pauseTimed = false;
    }
  }

  /**
   * Ends the watching, and turns away peers that have connected. If a step fails, the others are
   * done all the same.
   */
  @Override
  public void close() throws IOException {
    try (Closeable _ = this::turnAway) {
      sockets.close();
    }
  }

  private void turnAway() throws IOException {
    LocalSockets.Connected peer;
    while ((peer = connected.poll()) != null) {
      peer.close();
    }
  }
}
