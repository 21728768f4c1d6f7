package io.verbena.link;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Stream sockets at paths of this host, which one event loop watches. By them, processes of one
 * host wake each other's loops. No method waits for a peer.
 *
 * <p>Only the thread that steps the loop calls the methods. Watchers run on that thread, or, during
 * the loop's wait, on another one; never on two at a time. Buffers must be outside the heap.
 */
public interface LocalSockets extends Closeable {
  /**
   * Connects to a listening socket.
   *
   * @throws java.net.ConnectException if nothing listens there
   * @throws IOException if it is refused for another reason, for instance because too many connect
   *     at once
   */
  Connected connect(Path path) throws IOException;

  /**
   * Listens at a path, which must not exist.
   *
   * @param backlog the number of peers that may wait to be accepted
   */
  Listening listen(Path path, int backlog) throws IOException;

  /**
   * Prepares for the loop's wait. Each socket that becomes ready then ends it.
   *
   * @param nanos ends the wait after this time, too; 0 for never
   * @return false if that is not possible; the loop must not wait then
   */
  boolean arm(long nanos);

  /** Runs the watchers of ready sockets. Does nothing if the loop does that by itself. */
  default void poll() {}

  /**
   * Ends the watching. The sockets must be closed before. No watcher runs afterwards. Does nothing
   * if the loop watches them as long as it lives.
   */
  @Override
  default void close() throws IOException {}

  /** A socket that can be watched. */
  interface Watched extends Closeable {
    /**
     * Watches the socket until it is closed.
     *
     * @param ready runs while there is something to accept or to read, which the end of the stream
     *     is, too
     */
    void watch(Runnable ready) throws IOException;

    /** Stops watching. Only the socket's own watcher calls it. */
    void unwatch();
  }

  /** A connected socket. */
  interface Connected extends Watched {
    /** Reads available bytes; returns their number, or -1 at the end of the stream. */
    int read(ByteBuffer into) throws IOException;

    /** Writes as much as the socket takes now; returns the number of bytes. */
    int write(ByteBuffer from) throws IOException;
  }

  /** A listening socket. */
  interface Listening extends Watched {
    /** Returns a peer that has connected; null if there is none. For the watcher. */
    @Nullable Connected accept() throws IOException;
  }
}
