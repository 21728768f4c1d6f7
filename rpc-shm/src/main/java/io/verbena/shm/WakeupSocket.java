package io.verbena.shm;

import io.verbena.link.LocalSockets;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * The socket of an open link. A byte wakes the peer's loop, and the end of the stream shows that
 * the peer's process is gone. The loop writes, and what watches it reads.
 */
final class WakeupSocket {
  final LocalSockets.Connected socket;
  private final ByteBuffer wakeByte;
  private volatile boolean gone;

  /**
   * Makes the end of a socket that is connected.
   *
   * @param wakeByte a byte outside the heap; the loop's other sockets may use it too
   */
  WakeupSocket(LocalSockets.Connected socket, ByteBuffer wakeByte) {
    this.socket = socket;
    this.wakeByte = wakeByte;
  }

  /** Wakes the peer. If the socket is full, the byte is not needed: the peer has unread ones. */
  void wakePeer() {
    try {
      socket.write(wakeByte.clear());
    } catch (IOException e) {
      gone = true;
    }
  }

  /**
   * Reads the peer's bytes; returns their number. If a peer sends without end, some bytes are left
   * for the next turn, so that other peers are served too.
   */
  int drain(ByteBuffer scratch) {
    int read = 0;
    try {
      read = socket.read(scratch.clear());
      gone |= read < 0;
    } catch (IOException e) {
      gone = true;
    }
    return read;
  }

  /**
   * Returns whether the peer is gone, so that only the ring may have frames from it. Safe for use
   * by any thread.
   */
  boolean isGone() {
    return gone;
  }

  void close() {
    try {
      socket.close();
    } catch (IOException e) {
      gone = true;
    }
  }
}
