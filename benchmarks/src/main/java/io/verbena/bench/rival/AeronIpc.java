package io.verbena.bench.rival;

import io.aeron.Aeron;
import io.aeron.ExclusivePublication;
import java.nio.file.Path;
import org.agrona.DirectBuffer;

/** What both ends of Aeron's IPC agree on: two streams of one media driver, one each way. */
final class AeronIpc {
  static final String CHANNEL = "aeron:ipc";
  static final int TO_SERVER = 1;
  static final int TO_CLIENT = 2;

  /** What goes in one fragment. */
  static final int MOST_BYTES = 1_024;

  /** Far less than a term: neither end waits for the other's reads. */
  static final int MOST_BYTES_UNDER_WAY = 1 << 20;

  /** Fragments taken by one poll. */
  static final int MOST_AT_ONCE = 64;

  private AeronIpc() {}

  /** Returns the media driver's directory, which a number that is told to the client names. */
  static String directory(int number) {
    return Path.of("/dev/shm", "verbena-bench-aeron-" + number).toString();
  }

  /** Connects to the media driver of a directory. */
  static Aeron connect(int number) {
    return Aeron.connect(new Aeron.Context().aeronDirectoryName(directory(number)));
  }

  /** Sends a message; waits while the other end has not connected, or has to read first. */
  static void send(ExclusivePublication to, DirectBuffer from, int offset, int length) {
    while (to.offer(from, offset, length) < 0) {
      if (to.isClosed() || Thread.currentThread().isInterrupted()) {
        throw new IllegalStateException("Aeron's publication is closed");
      }
      Thread.onSpinWait();
    }
  }
}
