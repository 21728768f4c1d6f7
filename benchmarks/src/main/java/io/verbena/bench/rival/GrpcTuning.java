package io.verbena.bench.rival;

import java.nio.file.Path;

/** The settings of gRPC. */
enum GrpcTuning {
  /** The defaults. */
  NONE,
  /** Handlers and callbacks on the event loop, and a flow-control window of 4 MiB. */
  TUNED,
  /** The same over a Unix socket, in the folder for temporary files. */
  UNIX;

  static final int WINDOW_BYTES = 4 << 20;

  /** Large messages always need a higher limit, because the default is 4 MiB. */
  static final int MOST_MESSAGE_BYTES = 256 << 20;

  /** Returns the socket that stands for a port. */
  static Path socket(int port) {
    return Path.of(System.getProperty("java.io.tmpdir"), "verbena-bench-" + port + ".socket");
  }
}
