package io.verbena.shm;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/**
 * The socket of a link, once it is open: a byte wakes the peer's loop, and its end tells that the
 * peer's process is gone. Rung by the loop, read by the waiter.
 */
final class Bell {
  final SocketChannel socket;
  private final ByteBuffer stroke;
  private volatile boolean gone;

  /**
   * A bell.
   *
   * @param stroke a byte outside the heap, which the loop's other bells may ring with, too
   */
  Bell(SocketChannel socket, ByteBuffer stroke) {
    this.socket = socket;
    this.stroke = stroke;
  }

  /** Wakes the peer. What does not fit the socket is no loss: the peer has not read others yet. */
  void ring() {
    try {
      socket.write(stroke.clear());
    } catch (IOException e) {
      gone = true;
    }
  }

  /**
   * Reads what the peer has rung; returns how often. A peer that rings without end leaves some for
   * another turn: others want to be heard, too.
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

  /** Returns whether nothing comes from the peer but what the ring has. Safe for any thread. */
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
