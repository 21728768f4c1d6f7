package io.verbena.bench.rival;

import java.nio.file.Path;

/** How gRPC is set up. */
enum GrpcTuning {
  /** As it comes. */
  NONE,
  /** Handlers and callbacks on the event loop, and a flow-control window of 4 MiB. */
  TUNED,
  /** The same over a Unix socket, in the folder for temporary files. */
  UNIX;

  static final int WINDOW_BYTES = 4 << 20;

  /** Large messages need it either way: the limit is 4 MiB as gRPC comes. */
  static final int MOST_MESSAGE_BYTES = 256 << 20;

  /** Returns the socket that stands for a port. */
  static Path socket(int port) {
    return Path.of(System.getProperty("java.io.tmpdir"), "verbena-bench-" + port + ".socket");
  }
}
