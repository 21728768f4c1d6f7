package io.verbena.bench.rival;

import io.aeron.Aeron;
import io.aeron.ExclusivePublication;
import java.nio.file.Path;
import org.agrona.DirectBuffer;

/** The constants of both ends of Aeron's IPC. One media driver has two streams, one each way. */
final class AeronIpc {
  static final String CHANNEL = "aeron:ipc";
  static final int TO_SERVER = 1;
  static final int TO_CLIENT = 2;

  /** The bytes of one fragment. */
  static final int MOST_BYTES = 1_024;

  /** Far less than a term, so that neither end waits for reads of the other. */
  static final int MOST_BYTES_UNDER_WAY = 1 << 20;

  /** The fragments that one poll takes. */
  static final int MOST_AT_ONCE = 64;

  private AeronIpc() {}

  /** Returns the directory of the media driver with a number, which the client receives. */
  static String directory(int number) {
    return Path.of("/dev/shm", "verbena-bench-aeron-" + number).toString();
  }

  /** Connects to the media driver of a directory. */
  static Aeron connect(int number) {
    return Aeron.connect(new Aeron.Context().aeronDirectoryName(directory(number)));
  }

  /** Sends a message. Waits until the other end has connected and has read enough. */
  static void send(ExclusivePublication to, DirectBuffer from, int offset, int length) {
    while (to.offer(from, offset, length) < 0) {
      if (to.isClosed() || Thread.currentThread().isInterrupted()) {
        throw new IllegalStateException("Aeron's publication is closed");
      }
      Thread.onSpinWait();
    }
  }
}
